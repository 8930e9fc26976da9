#include "kernels/cuda/measure.h"

#include <gtest/gtest.h>

#include <array>

namespace dyad::cuda {
namespace {

TEST(Measure, TakesTheFastest) {
  constexpr std::array<Cost, 3> kCosts = {{{3.0f, 0}, {1.0f, 4096}, {2.0f, 16}}};
  EXPECT_EQ(leanest_of_the_fast(kCosts), 1u);
}

TEST(Measure, TakesTheLeanestOfThoseNearlyAsFast) {
  constexpr std::array<Cost, 4> kCosts = {{{1.0f, 4096}, {1.05f, 64}, {1.04f, 64}, {1.2f, 0}}};
  EXPECT_EQ(leanest_of_the_fast(kCosts), 2u);
}

TEST(Measure, TakesTheOnlyOne) {
  constexpr std::array<Cost, 1> kCosts = {{{5.0f, 1}}};
  EXPECT_EQ(leanest_of_the_fast(kCosts), 0u);
}

}  // namespace
}  // namespace dyad::cuda
