#include <gtest/gtest.h>

#include "data/image/augment_beta.h"
#include "data/image/augment_policy.h"

namespace dyad::data {

namespace {

struct Moments {
  double mean, variance;
};

Moments moments_of_beta(double a, double b) {
  Random random(7);
  double sum = 0;
  double squares = 0;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    const double drawn = drawn_beta(a, b, random);
    EXPECT_TRUE(drawn >= 0 && drawn <= 1) << drawn;
    sum += drawn;
    squares += drawn * drawn;
  }
  const double mean = sum / kDraws;
  return {mean, squares / kDraws - mean * mean};
}

}  // namespace

TEST(Augment, BetaHasItsMeanAndVariance) {
  for (const auto& [a, b] : {std::pair{0.2, 0.2}, {1.0, 1.0}, {0.5, 3.0}, {20.0, 5.0}}) {
    const Moments drawn = moments_of_beta(a, b);
    const double mean = a / (a + b);
    EXPECT_NEAR(drawn.mean, mean, 0.012) << a << " " << b;
    EXPECT_NEAR(drawn.variance, mean * (1 - mean) / (a + b + 1), 0.006) << a << " " << b;
  }
}

TEST(Augment, TinyBetaIsAtTheEnds) {
  const Moments drawn = moments_of_beta(1e-6, 1e-6);
  EXPECT_NEAR(drawn.mean, 0.5, 0.02);
  EXPECT_NEAR(drawn.variance, 0.25, 0.01);
}

TEST(Augment, LearnedPoliciesAreWithinTheirRanges) {
  for (const char* name : {"imagenet", "cifar10", "svhn"}) {
    EXPECT_EQ(learned_policy(name).size(), 25u);
    for (const Subpolicy& subpolicy : learned_policy(name))
      for (const Step& step : {subpolicy.first, subpolicy.second}) {
        EXPECT_TRUE(step.chance >= 0 && step.chance <= 1);
        EXPECT_TRUE(step.level >= 0 && step.level <= 9);
        EXPECT_NE(step.change, Change::kIdentity);
      }
  }
}

TEST(Augment, EveryChangeTakesEverySize) {
  for (const int64_t height : {1, 2, 5})
    for (const int64_t width : {1, 3, 8})
      for (int change = 0; change <= static_cast<int>(Change::kInvert); ++change)
        for (const double magnitude : {-0.9, 0.0, 1.0, 7.0}) {
          Image image = as_image(empty(DType::kUInt8, {height, width, 3}));
          for (int64_t i = 0; i < image.array->size(); ++i)
            image.row<uint8_t>(0)[i] = static_cast<uint8_t>(37 * i);
          const bool bits = static_cast<Change>(change) == Change::kPosterize;
          const Image made = changed(image, static_cast<Change>(change), bits ? 3 : magnitude, {});
          EXPECT_EQ(made.array->shape, image.array->shape);
        }
}

}  // namespace dyad::data
