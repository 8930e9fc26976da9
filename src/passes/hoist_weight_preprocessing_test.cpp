#include "passes/hoist_weight_preprocessing.h"

#include "passes/eliminate.h"
#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

constexpr std::string_view kScaled = R"(
func @main(%x: float32[2], state %w: float32[2], state %s: float32[2]) -> (%4) {
  %1: float32[2] = mul(%w, %s)
  %2: float32[2] = add(%1, other=1)
  %3: float32[2] = mul(%x, %2)
  %4: float32[2] = sub(%3, %s)
})";

TEST(HoistWeightPreprocessing, TakesWhatDependsOnStateAlone) {
  const auto module = read(kScaled);
  const Preparation preparation = hoist_weight_preprocessing(*module);
  ir::verify(*module);
  ir::verify(*preparation.module);
  EXPECT_EQ(preparation.sources, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ("\n" + ir::print(*preparation.module), R"(
func @prepare(state %w: float32[2], state %s: float32[2]) -> (%2) {
  %1: float32[2] = mul(%w, %s)
  %2: float32[2] = add(%1, other=1)
}
)");
  EXPECT_NE(ir::print(*module).find("mul(%x, %prepared)"), std::string::npos) << ir::print(*module);
}

TEST(HoistWeightPreprocessing, LeavesWhatIsWrittenGivenOrAView) {
  const auto module = read(R"(
func @main(%x: float32[2], state %w: float32[2], state %v: float32[2], state %m: float32[2, 2]) -> (%4, %5, %2, state %w = %w1) {
  %1: float32[2] = exp(%w)
  %2: float32[2] = exp(%v)
  %3: float32[2, 2] = permute(%m, axis=[1, 0])
  %4: float32[2] = add(%1, %x)
  %5: float32[2, 2] = mul(%3, %x)
  %w1: float32[2] = assign(%w, value=%x)
})");
  EXPECT_EQ(hoist_weight_preprocessing(*module).module, nullptr);
}

TEST(HoistWeightPreprocessing, LeavesWhatTakesManyTimesTheMemory) {
  const auto module = read(R"(
func @main(%x: float32[4096], state %w: float32[1]) -> (%3) {
  %1: float32[4096] = broadcast_to(%w, shape=[4096])
  %2: float32[4096] = exp(%1)
  %3: float32[4096] = add(%2, %x)
})");
  EXPECT_EQ(hoist_weight_preprocessing(*module).module, nullptr);
}

TEST(HoistWeightPreprocessing, ComputesOnlyWhatTheRestAsksFor) {
  const auto module = read(R"(
func @main(%x: float32[2], state %w: float32[2]) -> (%4) {
  %1: float32[2] = exp(%w)
  %2: float32[2] = neg(%1)
  %3: float32[2] = mul(%2, %1)
  %4: float32[2] = add(%3, %x)
})");
  const Preparation preparation = hoist_weight_preprocessing(*module);
  eliminate_dead_code(*module);
  ir::verify(*module);
  EXPECT_EQ(operators_of(ir::print(*preparation.module)), "exp neg mul");
  EXPECT_EQ(preparation.module->main().results.size(), 1U);
  EXPECT_EQ(module->main().params.size(), 3U);
  EXPECT_EQ(operators_of(ir::print(*module)), "add");
}

}  // namespace
}  // namespace dyad::passes
