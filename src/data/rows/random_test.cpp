#include "data/rows/random.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <set>

namespace dyad::data {
namespace {

TEST(Random, IsAFunctionOfItsKeyAlone) {
  Random first(7);
  Random again(7);
  Random other(8);
  std::set<uint32_t> differing;
  for (int i = 0; i < 9; ++i) {
    const uint32_t bits = first.bits();
    EXPECT_EQ(again.bits(), bits);
    if (other.bits() != bits) differing.insert(bits);
  }
  EXPECT_GE(differing.size(), 8u);
}

TEST(Random, PartsDoNotDependOnWhatWasDrawn) {
  Random drawn(7);
  drawn.bits();
  EXPECT_EQ(drawn.part(3).key(), Random(7).part(3).key());
  EXPECT_NE(drawn.part(3).key(), drawn.part(4).key());
  EXPECT_NE(Random::mix(1, 2), Random::mix(2, 1));
}

TEST(Random, IntegersReachBothEnds) {
  Random random(1);
  std::set<int64_t> seen;
  for (int i = 0; i < 400; ++i) seen.insert(random.integer(-2, 3));
  EXPECT_EQ(seen, (std::set<int64_t>{-2, -1, 0, 1, 2, 3}));
  EXPECT_EQ(random.integer(5, 5), 5);
}

TEST(Random, IntegersMayHaveAnyWidth) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Random random(1);
  bool negative = false;
  bool positive = false;
  for (int i = 0; i < 64; ++i) {
    const int64_t drawn = random.integer(kLeast, kMost);
    negative |= drawn < 0;
    positive |= drawn > 0;
    EXPECT_GE(random.integer(kMost - 1, kMost), kMost - 1);
  }
  EXPECT_TRUE(negative && positive);
}

TEST(Random, NumbersStayInTheirRange) {
  Random random(1);
  double sum = 0;
  double squares = 0;
  constexpr int kCount = 4000;
  for (int i = 0; i < kCount; ++i) {
    const double uniform = random.uniform(2, 4);
    ASSERT_GE(uniform, 2);
    ASSERT_LT(uniform, 4);
    const double normal = random.normal();
    sum += normal;
    squares += normal * normal;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.1);
  EXPECT_NEAR(squares / kCount, 1, 0.1);
  EXPECT_EQ(random.uniform(3, 3), 3);
  EXPECT_FALSE(random.chance(0));
  EXPECT_TRUE(random.chance(1));
}

}  // namespace
}  // namespace dyad::data
