#include "transforms/dependence.h"

#include <gtest/gtest.h>

#include "eager/dispatch.h"
#include "ir/parser.h"
#include "ops/number_operator.h"

namespace dyad::transforms {
namespace {

std::unique_ptr<ir::Module> read(std::string_view text) {
  eager::initialise();
  return ir::parse(text, {[](std::string_view name) { return find_graph_operator(name); }, {}});
}

using Flags = std::vector<bool>;

TEST(Dependence, WholeNumbersVaryOnlyWhereAllIsAsked) {
  const auto module = read(R"(func @f(%x: float32[2]) -> (%1, %2, %3) {
  %1: float32[2] = sin(%x)
  %2: int32[2] = cast(%x, dtype=int32)
  %3: bool_[2] = greater(%x, other=0)
}
)");
  EXPECT_EQ(varying_results(module->main(), {true}), (Flags{true, false, false}));
  EXPECT_EQ(varying_results(module->main(), {true}, Varying::kAll), (Flags{true, true, false}));
  EXPECT_EQ(varying_results(module->main(), {false}), (Flags{false, false, false}));
}

/// `y` varies from the second turn on, because `x` does from the first.
TEST(Dependence, ALoopSpreadsWhatVariesFromTurnToTurn) {
  const auto module =
      read(R"(func @f(%w: float32[2], %x: float32[2], %y: float32[2], %n: number int64) -> (%2, %3) {
  %1: number int64, %2: float32[2], %3: float32[2] = while @condition do @body(%n, %x, %y) with (%w)
}
func @condition(%n: number int64, %x: float32[2], %y: float32[2], %w: float32[2]) -> (%1) {
  %1: number bool_ = number_gt(%n, other=0)
}
func @body(%n: number int64, %x: float32[2], %y: float32[2], %w: float32[2]) -> (%1, %2, %x) {
  %1: number int64 = number_sub(%n, other=1)
  %2: float32[2] = mul(%x, %w)
}
)");
  EXPECT_EQ(varying_results(module->main(), {true, false, false, false}), (Flags{true, true}));
  EXPECT_EQ(varying_results(module->main(), {false, false, true, false}), (Flags{false, true}));
}

/// The gradient function gives one gradient per argument, the call two results.
TEST(Dependence, AnOwnGradientIsNotAskedForTheResults) {
  const auto module = read(R"(func @f(%x: float32[2]) -> (%1, %2) {
  %1: int32[2], %2: float32[2] = call @own(%x) gradient @own_gradient
}
func @own(%x: float32[2]) -> (%1, %2) {
  %1: int32[2] = cast(%x, dtype=int32)
  %2: float32[2] = sin(%x)
}
func @own_gradient(%x: float32[2], %y: int32[2], %z: float32[2], %dy: int32[2], %dz: float32[2]) -> (%1) {
  %1: float32[2] = mul(%dz, %x)
}
)");
  EXPECT_EQ(varying_results(module->main(), {true}), (Flags{false, true}));
  EXPECT_FALSE(writes_to(module->main(), 0));
}

TEST(Dependence, WritesReachAParameterThroughViewsAndCalls) {
  const auto module = read(R"(func @f(%x: float32[2], %y: float32[2]) -> (%1) {
  %1: float32[2] = call @g(%x, %y)
}
func @g(%x: float32[2], %y: float32[2]) -> (%3) {
  %1: float32[] = select_view(%x, axis=0, position=1)
  %2: float32[] = assign(%1, value=5.0)
  %3: float32[2] = add(%y, %2)
}
)");
  EXPECT_TRUE(writes_to(module->main(), 0));
  EXPECT_FALSE(writes_to(module->main(), 1));
  EXPECT_FALSE(calls_itself(module->main()));
}

}  // namespace
}  // namespace dyad::transforms
