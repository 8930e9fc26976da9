#include "types/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dyad {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class Narrow>
Narrow from_bits(uint32_t bits) {
  Narrow narrow;
  narrow.bits = static_cast<uint16_t>(bits);
  return narrow;
}

/// Each of the 65536 patterns survives the way to float and back.
template <class Narrow>
void check_every_pattern() {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float wide = static_cast<float>(from_bits<Narrow>(bits));
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(Narrow(wide)))) << bits;
    } else {
      ASSERT_EQ(Narrow(wide).bits, bits);
    }
  }
}

TEST(Half, EveryPatternSurvives) { check_every_pattern<Half>(); }
TEST(BFloat16, EveryPatternSurvives) { check_every_pattern<BFloat16>(); }

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(Half(1.0f).bits, 0x3c00);
  EXPECT_EQ(Half(1.0f + 0x1p-11f).bits, 0x3c00);  // a tie goes to the even neighbour below
  EXPECT_EQ(Half(1.0f + 3 * 0x1p-11f).bits, 0x3c02);
  EXPECT_EQ(Half(65504.0f).bits, 0x7bff);
  EXPECT_EQ(static_cast<float>(Half(65520.0f)), kInfinity);
  EXPECT_EQ(static_cast<float>(Half(0x1p-24f)), 0x1p-24f);
  EXPECT_EQ(Half(-0.0f).bits, 0x8000);
}

TEST(BFloat16, RoundsToNearestEven) {
  EXPECT_EQ(BFloat16(1.0f).bits, 0x3f80);
  EXPECT_EQ(BFloat16(1.0f + 0x1p-8f).bits, 0x3f80);
  EXPECT_EQ(BFloat16(1.0f + 3 * 0x1p-8f).bits, 0x3f82);
  EXPECT_EQ(static_cast<float>(BFloat16(3.4e38f)), kInfinity);
  EXPECT_EQ(static_cast<float>(BFloat16(kInfinity)), kInfinity);
  EXPECT_EQ(BFloat16(-0.0f).bits, 0x8000);
}

TEST(BFloat16, NanWithoutUpperBitsStaysNan) {
  const float nan = std::bit_cast<float>(0x7f800001u);
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(nan))));
}

}  // namespace
}  // namespace dyad
