// Fused functions as schedules: the text of a function goes in, the text of its loops comes out.

#include "codegen/loops/schedule.h"

#include "codegen/cpu/generated_fixture.h"

namespace dyad::codegen {
namespace {

std::string scheduled(std::string_view text, const std::vector<Strides>& strides = {}) {
  const auto module = read(text);
  const ir::Function& function = module->main();
  std::vector<codegen::Layout> params;
  std::vector<codegen::Layout> results;
  for (size_t i = 0; i < function.params.size(); ++i) {
    const auto& param = *function.params[i];
    params.push_back(
        {param.dtype, param.shape, i < strides.size() ? strides[i] : contiguous_strides(param.shape)});
  }
  for (const auto& result : function.results)
    results.push_back({result->dtype, result->shape, contiguous_strides(result->shape)});
  const auto computation = codegen::read_computation(function);
  if (!computation) return "refused";
  const auto schedule = codegen::make_schedule(*computation, params, results);
  return schedule ? "\n" + schedule->text() : "does not fit";
}

TEST(Schedule, NeighbouringAxesAreWalkedAsOne) {
  EXPECT_EQ(scheduled(R"(
func @main(%x: float32[4, 5, 6], %y: float32[6]) -> (%2) {
  %1: float32[4, 5, 6] = add(%x, %y)
  %2: float32[4, 5, 6] = mul(%1, other=2.0)
})"),
            R"(
kept 20: 6 0 6
kept 6: 1 1 1
full on tensor 0, tensor 1, number 0x40000000 -> tensor 2
loop (float32 next, float32 next, float32 same)
  %0: float32 = load 0
  %1: float32 = load 1
  %2: float32 = add.float32 %0, %1
  %3: float32 = load 2
  %4: float32 = mul.float32 %2, %3
  store %4
)");
}

TEST(Schedule, NarrowFloatsAreRoundedAfterEveryOperator) {
  EXPECT_EQ(scheduled(R"(
func @main(%x: float16[8]) -> (%2) {
  %1: float16[8] = exp(%x)
  %2: bool_[8] = less(%1, %x)
})"),
            R"(
kept 8: 1 1
full on tensor 0 -> tensor 1
loop (float16 next)
  %0: float16 = load 0
  %1: float32 = convert %0
  %2: float32 = exp.float32 %1
  %3: float16 = convert %2
  %4: float32 = convert %3
  %5: bool_ = less.float32 %4, %1
  store %5
)");
}

TEST(Schedule, SoftmaxKeepsItsExponentialsInTheResult) {
  EXPECT_EQ(scheduled(R"(
func @main(%x: float32[4, 5]) -> (%5) {
  %1: float32[4, 1] = amax(%x, axis=[1], keepdims=true)
  %2: float32[4, 5] = sub(%x, %1)
  %3: float32[4, 5] = exp(%2)
  %4: float32[4, 1] = sum(%3, axis=[1], keepdims=true, dtype=none)
  %5: float32[4, 5] = div(%3, %4)
})"),
            R"(
kept 4: 5 5
reduced 5: 1 1
fold max float32 tensor 0
kept on accumulator 0 -> kept 0
loop (float32 next)
  %0: float32 = load 0
  store %0
full on tensor 0, kept 0 -> tensor 1
loop (float32 next, float32 same)
  %0: float32 = load 0
  %1: float32 = load 1
  %2: float32 = sub.float32 %0, %1
  %3: float32 = exp.float32 %2
  store %3
fold sum float32 tensor 1
kept on accumulator 0 -> kept 1
loop (float64 next)
  %0: float64 = load 0
  %1: float32 = convert %0
  store %1
full on tensor 1, kept 1 -> tensor 1
loop (float32 next, float32 same)
  %0: float32 = load 0
  %1: float32 = load 1
  %2: float32 = div.float32 %0, %1
  store %2
)");
}

TEST(Schedule, MeansOfColumns) {
  EXPECT_EQ(scheduled(R"(
func @main(%x: float32[4, 5]) -> (%3) {
  %1: float32[4, 5] = square(%x)
  %2: float32[5] = mean(%1, axis=[0], keepdims=false, dtype=none)
  %3: float32[5] = sqrt(%2)
})"),
            R"(
reduced 4: 5 0
kept 5: 1 1
full on tensor 0 -> scratch 0
loop (float32 next)
  %0: float32 = load 0
  %1: float32 = square.float32 %0
  store %1
fold mean float32 scratch 0
kept on accumulator 0, scale 0 -> tensor 1
loop (float64 next, float64 same)
  %0: float64 = load 0
  %1: float64 = load 1
  %2: float64 = mul.float64 %0, %1
  %3: float32 = convert %2
  %4: float32 = sqrt.float32 %3
  store %4
)");
}

TEST(Schedule, TransposedOperandsAreSeenFromBothSides) {
  EXPECT_EQ(scheduled(R"(
func @main(%x: float32[3, 3]) -> (%2) {
  %1: float32[3, 3] = permute(%x, axis=[1, 0])
  %2: float32[3, 3] = add(%x, %1)
})"),
            R"(
kept 3: 1 3 3
kept 3: 3 1 1
full on tensor 1, tensor 0 -> tensor 2
loop (float32 next, float32 next)
  %0: float32 = load 0
  %1: float32 = load 1
  %2: float32 = add.float32 %0, %1
  store %2
)");
}

TEST(Schedule, TotalsOfOneTensorTimesAnotherAreTwoPasses) {
  EXPECT_EQ(scheduled(R"(
func @main(%a: float32[6, 5], %b: float32[6, 5]) -> (%2) {
  %1: float32[] = sum(%a, axis=none, keepdims=false, dtype=none)
  %2: float32[6, 5] = mul(%b, %1)
})"),
            R"(
reduced 30: 1 1 1
fold sum float32 tensor 0
kept on accumulator 0 -> kept 0
loop (float64 next)
  %0: float64 = load 0
  %1: float32 = convert %0
  store %1
full on tensor 1, kept 0 -> tensor 2
loop (float32 next, float32 same)
  %0: float32 = load 0
  %1: float32 = load 1
  %2: float32 = mul.float32 %0, %1
  store %2
)");
}

TEST(Schedule, RefusesWhatIsNoLoop) {
  EXPECT_EQ(scheduled(R"(
func @main(%x: float32[3, 3]) -> (%1) {
  %1: float32[3, 3] = matmul(%x, %x)
})"),
            "refused");
  // Two reductions over different axes.
  EXPECT_EQ(scheduled(R"(
func @main(%x: float32[3, 4]) -> (%1, %2) {
  %1: float32[3] = sum(%x, axis=[1], keepdims=false, dtype=none)
  %2: float32[4] = sum(%x, axis=[0], keepdims=false, dtype=none)
})"),
            "refused");
}

}  // namespace
}  // namespace dyad::codegen
