#include "passes/drop_gradients.h"

#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

TEST(DropGradients, CallsKeepTheFunctionThatTheyRun) {
  EXPECT_EQ(after(R"(
func @main(%x: float32[2]) -> (%2) {
  %1: float32[2] = call @f(%x) gradient @g
  %2: float32[2] = exp(%1) untracked
}
func @f(%x: float32[2]) -> (%x) {
}
func @g(%x: float32[2], %y: float32[2], %d: float32[2]) -> (%d) {
})",
                  drop_gradients),
            R"(
func @main(%x: float32[2]) -> (%2) {
  %1: float32[2] = call @f(%x)
  %2: float32[2] = exp(%1)
}
func @f(%x: float32[2]) -> (%x) {
}
func @g(%x: float32[2], %y: float32[2], %d: float32[2]) -> (%d) {
}
)");
}

}  // namespace
}  // namespace dyad::passes
