#include "kernels/scalar/division.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "kernels/scalar/table.h"

namespace dyad::kernels {
namespace {

using portable::floor_divide_scalar;
using portable::remainder_scalar;
using portable::truncate_div_scalar;

constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();

TEST(ScalarDivision, OfAnIntegerByZeroGivesZero) {
  EXPECT_EQ(floor_divide_scalar::apply<int32_t>(7, 0), 0);
  EXPECT_EQ(truncate_div_scalar::apply<int8_t>(-7, 0), 0);
  EXPECT_EQ(remainder_scalar::apply<uint64_t>(7, 0), 0u);
}

TEST(ScalarDivision, OfTheLeastIntegerByMinusOneWraps) {
  EXPECT_EQ(floor_divide_scalar::apply(kLeast, -1), kLeast);
  EXPECT_EQ(truncate_div_scalar::apply(kLeast, -1), kLeast);
  EXPECT_EQ(remainder_scalar::apply(kLeast, -1), 0);
}

TEST(ScalarDivision, FloorAndRemainderFollowPython) {
  EXPECT_EQ(floor_divide_scalar::apply(-7, 2), -4);
  EXPECT_EQ(remainder_scalar::apply(-7, 2), 1);
  EXPECT_EQ(floor_divide_scalar::apply(7, -2), -4);
  EXPECT_EQ(remainder_scalar::apply(7, -2), -1);
  EXPECT_EQ(truncate_div_scalar::apply(-7, 2), -3);
  EXPECT_EQ(floor_divide_scalar::apply(1.0, 0.1), 9.0);
}

TEST(ScalarTable, KnowsWhatADefinitionComputesIn) {
  const Definition* erf = find_definition("erf");
  ASSERT_NE(erf, nullptr);
  EXPECT_EQ(erf->operands, 1);
  EXPECT_TRUE(erf->computes_in(DType::kFloat32));
  EXPECT_FALSE(erf->computes_in(DType::kInt32));
  const Definition* less = find_definition("less");
  ASSERT_NE(less, nullptr);
  EXPECT_EQ(less->operands, 2);
  EXPECT_EQ(less->kind, LoopKind::kComparison);
  EXPECT_EQ(computed_dtype(less->kind, DType::kFloat64), DType::kBool);
}

TEST(ScalarTable, HasNothingUnderAnUnknownName) {
  EXPECT_EQ(find_definition("erfx"), nullptr);
  EXPECT_EQ(find_definition(""), nullptr);
  EXPECT_EQ(find_definition("zzz"), nullptr);
}

}  // namespace
}  // namespace dyad::kernels
