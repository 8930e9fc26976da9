#include "passes/hoist_invariant.h"

#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

std::string hoisted(std::string_view text) { return after(text, hoist_invariant); }

constexpr std::string_view kLoop = R"(
func @main(%x: float32[2], %w: float32[2, 2]) -> (%2) {
  %0: number int64 = constant 0
  %i: number int64, %2: float32[2] = while @below do @turn(%0, %x) with (%w)
}
func @below(%i: number int64, %v: float32[2], %w: float32[2, 2]) -> (%1) {
  %1: number bool_ = number_lt(%i, other=3)
}
func @turn(%i: number int64, %v: float32[2], %w: float32[2, 2]) -> (%1, %8) {
  %1: number int64 = number_add(%i, other=1)
  %2: float32[2, 2] = permute(%w, axis=[1, 0])
  %3: float32[2, 2] = exp(%2)
  %4: float32[2] = matmul(%3, %v)
  %5: float32[2, 2] = neg(%w)
  %6: float32[2, 2] = assign(%5, value=2.0)
  %7: float32[2] = matmul(%6, %4)
  %9: float32[2] = random_uniform(shape=[2], low=0.0, high=1.0, dtype=none, seed=none)
  %8: float32[2] = add(%7, %9)
})";

TEST(HoistInvariant, MovesWhatDoesNotChange) {
  EXPECT_EQ(hoisted(kLoop), R"(
func @main(%x: float32[2], %w: float32[2, 2]) -> (%4) {
  %1: number int64 = constant 0
  %2: float32[2, 2] = permute(%w, axis=[1, 0])
  %3: float32[2, 2] = exp(%2)
  %i: number int64, %4: float32[2] = while @below do @turn(%1, %x) with (%w, %3)
}
func @below(%i: number int64, %v: float32[2], %w: float32[2, 2], %1: float32[2, 2]) -> (%2) {
  %2: number bool_ = number_lt(%i, other=3)
}
func @turn(%i: number int64, %v: float32[2], %w: float32[2, 2], %1: float32[2, 2]) -> (%2, %9) {
  %2: number int64 = number_add(%i, other=1)
  %3: float32[2, 2] = permute(%w, axis=[1, 0])
  %4: float32[2] = matmul(%1, %v)
  %5: float32[2, 2] = neg(%w)
  %6: float32[2, 2] = assign(%5, value=2.0)
  %7: float32[2] = matmul(%6, %4)
  %8: float32[2] = random_uniform(shape=[2], low=0.0, high=1.0, dtype=none, seed=none)
  %9: float32[2] = add(%7, %8)
}
)");
}

TEST(HoistInvariant, LeavesWhatASizeOfTheTurnDecides) {
  constexpr std::string_view text = R"(
func @main(%x: float32[2], %w: float32[4]) -> (%3) {
  %1: number int64 = constant 0
  %2: number int64, %3: float32[2] = while @below do @turn(%1, %x) with (%w)
}
func @below(%i: number int64, %v: float32[2], %w: float32[4]) -> (%1) {
  %1: number bool_ = number_lt(%i, other=3)
}
func @turn(%i: number int64, %v: float32[2], %w: float32[4]) -> (%1, %3) {
  %1: number int64 = number_add(%i, other=1)
  define_symbol(%i, name="k")
  %2: float32[] = select_at(%w, axis=0, position=[k], dimension=0)
  %3: float32[2] = add(%v, %2)
}
)";
  EXPECT_EQ(hoisted(text), text);
}

TEST(HoistInvariant, LeavesSeveralLoops) {
  constexpr std::string_view text = R"(
func @main(%x: float32[2], %w: float32[2]) -> (%2) {
  %0: number int64 = constant 0
  %i: number int64, %2: float32[2] = while @below do @outer(%0, %x) with (%w)
}
func @below(%i: number int64, %v: float32[2], %w: float32[2]) -> (%1) {
  %1: number bool_ = number_lt(%i, other=3)
}
func @outer(%i: number int64, %v: float32[2], %w: float32[2]) -> (%1, %2) {
  %1: number int64 = number_add(%i, other=1)
  %0: number int64 = constant 0
  %j: number int64, %2: float32[2] = while @below_2 do @turn(%0, %v) with (%w)
}
func @below_2(%i: number int64, %v: float32[2], %w: float32[2]) -> (%1) {
  %1: number bool_ = number_lt(%i, other=2)
}
func @turn(%i: number int64, %v: float32[2], %w: float32[2]) -> (%1, %3) {
  %1: number int64 = number_add(%i, other=1)
  %2: float32[2] = exp(%w)
  %3: float32[2] = add(%v, %2)
}
)";
  const std::string found = hoisted(text);
  const size_t main_ends = found.find("func @below");
  EXPECT_NE(found.substr(0, main_ends).find("exp(%w)"), std::string::npos) << found;
  EXPECT_EQ(found.substr(main_ends).find("exp("), std::string::npos) << found;
  expect_equal_runs(text, {vector({1, 2}), vector({0.5, -1})}, hoist_invariant);
  EXPECT_EQ(shown(evaluate(read(text)->main(), {vector({1, 2}), vector({0, 0})})[0]), "[7, 8]");
}

TEST(HoistInvariant, TheConditionIsLookedAtToo) {
  const std::string text = hoisted(R"(
func @main(%x: float32[2], %w: float32[2]) -> (%1) {
  %1: float32[2] = while @test do @turn(%x) with (%w)
}
func @test(%v: float32[2], %w: float32[2]) -> (%3) {
  %1: float32[2] = exp(%w)
  %2: float32[2] = add(%1, %v)
  %3: bool_[] = any(%2, axis=none, keepdims=false)
}
func @turn(%v: float32[2], %w: float32[2]) -> (%1) {
  %1: float32[2] = neg(%v)
})");
  EXPECT_EQ(operators_of(text), "exp while add any neg") << text;
}

}  // namespace
}  // namespace dyad::passes
