#include "passes/simplify.h"

#include <limits>

#include "passes/eliminate.h"
#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

std::string simplified(std::string_view text) { return after(text, simplify, eliminate_copies); }

Value counted(DType dtype, int64_t size) {
  Tensor made = empty(dtype, {size});
  for (int64_t i = 0; i < size; ++i) store(Scalar(i), dtype, made->as<char>() + i * itemsize(dtype));
  return made;
}
const double kInfinity = std::numeric_limits<double>::infinity();
Value difficult() { return vector({0.0, -0.0, 1.5, -3e-39, 1e-45, 3e38, kInfinity, std::nan("")}); }

TEST(Simplify, ArithmeticThatChangesNothing) {
  constexpr std::string_view text = R"(
func @main(%x: float32[8]) -> (%9) {
  %one: float32[] = constant {1.0}
  %ones: float32[8] = broadcast_to(%one, shape=[8])
  %1: float32[8] = mul(%ones, %x)
  %2: float32[8] = mul(%1, other=1)
  %3: float32[8] = sub(%2, other=0)
  %4: float32[8] = add(%3, other=-0.0)
  %5: float32[8] = neg(%4)
  %6: float32[8] = neg(%5)
  %7: float32[8] = div(%6, other=1)
  %8: float32[8] = abs(%5)
  %9: float32[8] = mul(%7, %8)
}
)";
  EXPECT_EQ(simplified(text), R"(
func @main(%x: float32[8]) -> (%3) {
  %one: float32[] = constant {1.0}
  %ones: float32[8] = broadcast_to(%one, shape=[8])
  %1: float32[8] = neg(%x)
  %2: float32[8] = abs(%x)
  %3: float32[8] = mul(%x, %2)
}
)");
  expect_equal_runs(text, {difficult()}, simplify, eliminate_copies);
}

TEST(Simplify, KeepsWhatTellsZerosApart) {
  constexpr std::string_view text = R"(
func @main(%x: float32[8]) -> (%4) {
  %1: float32[8] = add(%x, other=0.0)
  %2: float32[8] = sub(%1, other=-0.0)
  %3: float32[8] = mul(%2, other=0.0)
  %4: float32[8] = div(%3, other=3.0)
}
)";
  EXPECT_EQ(simplified(text), text);
  expect_equal_runs(text, {difficult()}, simplify, eliminate_copies);
}

TEST(Simplify, DividesByPowersOfTwo) {
  constexpr std::string_view text = R"(
func @main(%x: float32[8], %i: int32[8]) -> (%1, %2, %3) {
  %1: float32[8] = div(%x, other=8)
  %2: float32[8] = div(%x, other=-0.0625)
  %3: float32[8] = div(%i, other=2)
}
)";
  EXPECT_EQ(simplified(text), R"(
func @main(%x: float32[8], %i: int32[8]) -> (%1, %2, %3) {
  %1: float32[8] = mul(%x, other=0.125)
  %2: float32[8] = mul(%x, other=-16.0)
  %3: float32[8] = div(%i, other=2)
}
)");
  expect_equal_runs(text, {difficult(), counted(DType::kInt32, 8)}, simplify, eliminate_copies);
}

TEST(Simplify, MovementsThatCancel) {
  constexpr std::string_view text = R"(
func @main(%x: float32[2, 4]) -> (%9, %10) {
  %1: float32[4, 2] = permute(%x, axis=[1, 0])
  %2: float32[2, 4] = permute(%1, axis=[-1, 0])
  %3: float32[8] = reshape(%2, shape=[-1])
  %4: float32[2, 2, 2] = reshape(%3, shape=[2, 2, 2])
  %5: float32[2, 2, 2] = exp(%4)
  %6: float32[2, 4] = reshape(%5, shape=[2, 4])
  %7: float32[2, 4] = sum_to(%6, %x)
  %8: float32[2, 4] = broadcast_to(%7, shape=[2, -1])
  %9: float32[2, 4] = add(%8, %x)
  %10: float32[2, 4] = reshape(%2, shape=[2, 4])
}
)";
  EXPECT_EQ(simplified(text), R"(
func @main(%x: float32[2, 4]) -> (%6, %7) {
  %1: float32[4, 2] = permute(%x, axis=[1, 0])
  %2: float32[8] = reshape(%x, shape=[-1])
  %3: float32[2, 2, 2] = reshape(%x, shape=[2, 2, 2])
  %4: float32[2, 2, 2] = exp(%3)
  %5: float32[2, 4] = reshape(%4, shape=[2, 4])
  %6: float32[2, 4] = add(%5, %x)
  %7: float32[2, 4] = reshape(%x, shape=[2, 4])
}
)");
  expect_equal_runs(text, {tensor({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})}, simplify, eliminate_copies);
}

TEST(Simplify, CastsThatLoseNothing) {
  constexpr std::string_view text = R"(
func @main(%h: float16[2], %x: float32[2]) -> (%5, %6) {
  %1: float32[2] = cast(%h, dtype=float32)
  %2: float16[2] = cast(%1, dtype=float16)
  %3: float64[2] = cast(%1, dtype=float64)
  %4: float16[2] = cast(%x, dtype=float16)
  %5: float32[2] = cast(%4, dtype=float32)
  %7: float64[2] = cast(%2, dtype=float64)
  %6: float64[2] = add(%3, %7)
}
)";
  EXPECT_EQ(simplified(text), R"(
func @main(%h: float16[2], %x: float32[2]) -> (%4, %6) {
  %1: float32[2] = cast(%h, dtype=float32)
  %2: float64[2] = cast(%h, dtype=float64)
  %3: float16[2] = cast(%x, dtype=float16)
  %4: float32[2] = cast(%3, dtype=float32)
  %5: float64[2] = cast(%h, dtype=float64)
  %6: float64[2] = add(%2, %5)
}
)");
  expect_equal_runs(text, {counted(DType::kFloat16, 2), vector({1.0001, -2.0002})}, simplify,
                    eliminate_copies);
}

TEST(Simplify, LeavesWhatIsWrittenAlone) {
  constexpr std::string_view text = R"(
func @main(%x: float32[2]) -> (%3, %4) {
  %1: float32[2] = mul(%x, other=1)
  %2: float32[2] = reshape(%1, shape=[2])
  %3: float32[2] = assign(%2, value=5.0)
  %4: float32[2] = mul(%x, other=1)
}
)";
  EXPECT_EQ(simplified(text), R"(
func @main(%x: float32[2]) -> (%3, %4) {
  %1: float32[2] = mul(%x, other=1)
  %2: float32[2] = reshape(%1, shape=[2])
  %3: float32[2] = assign(%2, value=5.0)
  %4: float32[2] = copy(%x)
}
)");
  expect_equal_runs(text, {vector({1, 2})}, simplify, eliminate_copies);
}

TEST(Simplify, ChoicesJoinsAndDoubleNegations) {
  constexpr std::string_view text = R"(
func @main(%x: float32[2, 4], %b: bool_[2, 4]) -> (%8) {
  %1: bool_[2, 4] = logical_not(%b)
  %2: bool_[2, 4] = logical_not(%1)
  %3: float32[2, 4] = where(condition=true, %x, %x)
  %4: float32[2, 4] = concat((%3), axis=0)
  %5: float32[2, 4] = relu(%4)
  %6: float32[2, 4] = relu(%5)
  %7: float32[2, 4] = where(%2, %6, %x)
  %8: float32[2, 4] = slice_view(%7, starts=[0, 0], stops=[2, 4], steps=[1, 1])
}
)";
  EXPECT_EQ(operators_of(simplified(text)), "logical_not relu where slice_view");
}

}  // namespace
}  // namespace dyad::passes
