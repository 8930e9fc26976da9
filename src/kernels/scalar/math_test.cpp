#define DYAD_ISA tested
#include "kernels/scalar/math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace dyad::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Units in the last place between a float and the exact value.
double distance(float got, double wanted) {
  const auto rounded = static_cast<float>(wanted);
  if (got == rounded || (std::isnan(got) && std::isnan(rounded))) return 0;
  if (!std::isfinite(got) || !std::isfinite(rounded)) return std::numeric_limits<double>::infinity();
  const float size = std::fabs(rounded);
  return std::fabs(static_cast<double>(got) - wanted) /
         (static_cast<double>(std::nextafter(size, kInfinity)) - static_cast<double>(size));
}

/// The largest distance over every 997th float, of both signs, denormals, infinities and NaNs included.
template <class Float, class Double>
double worst(Float got, Double wanted) {
  double most = 0;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 997) {
    const auto x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    most = std::max(most, distance(got(x), wanted(static_cast<double>(x))));
  }
  return most;
}

TEST(ScalarMath, ErfIsWithinTwoUnits) {
  EXPECT_LE(worst([](float x) { return tested::math::erf(x); }, [](double x) { return std::erf(x); }), 2);
}

TEST(ScalarMath, TanhIsWithinTwoUnits) {
  EXPECT_LE(worst([](float x) { return tested::math::tanh(x); }, [](double x) { return std::tanh(x); }), 2);
}

TEST(ScalarMath, ExpIsWithinTwoUnits) {
  EXPECT_LE(worst([](float x) { return tested::math::exp(x); }, [](double x) { return std::exp(x); }), 2);
}

TEST(ScalarMath, LogIsWithinTwoUnits) {
  EXPECT_LE(worst([](float x) { return tested::math::log(x); }, [](double x) { return std::log(x); }), 2);
}

TEST(ScalarMath, SigmoidIsWithinTwoAndAHalfUnits) {
  EXPECT_LE(worst([](float x) { return tested::math::sigmoid(x); },
                  [](double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }),
            2.5);
}

TEST(ScalarMath, ErfKeepsTheSignOfZero) {
  EXPECT_TRUE(std::signbit(tested::math::erf(-0.0f)));
  EXPECT_FALSE(std::signbit(tested::math::erf(0.0f)));
}

TEST(ScalarMath, PowerFollowsTheCLibraryAtTheEdges) {
  const float edges[] = {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, -2.0f, 3.0f, kInfinity, -kInfinity, kNaN};
  for (const float x : edges) {
    for (const float y : edges) {
      const float wanted = std::pow(x, y);
      const float got = tested::math::pow(x, y);
      EXPECT_TRUE(got == wanted || (std::isnan(got) && std::isnan(wanted)))
          << x << " ** " << y << ": " << got;
      EXPECT_TRUE(got != 0 || std::signbit(got) == std::signbit(wanted)) << x << " ** " << y;
    }
  }
}

}  // namespace
}  // namespace dyad::kernels
