#include "passes/eliminate_dead_functions.h"

#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

TEST(EliminateDeadFunctions, KeepsWhatMainComesTo) {
  EXPECT_EQ(after(R"(
func @main(%x: float32[2]) -> (%1) {
  %1: float32[2] = call @f(%x) gradient @g
}
func @dead(%x: float32[2]) -> (%1) {
  %1: float32[2] = call @dead(%x)
}
func @f(%x: float32[2]) -> (%1) {
  %1: float32[2] = call @h(%x)
}
func @h(%x: float32[2]) -> (%x) {
}
func @g(%x: float32[2], %y: float32[2], %d: float32[2]) -> (%d) {
})",
                  eliminate_dead_functions),
            R"(
func @main(%x: float32[2]) -> (%1) {
  %1: float32[2] = call @f(%x) gradient @g
}
func @f(%x: float32[2]) -> (%1) {
  %1: float32[2] = call @h(%x)
}
func @h(%x: float32[2]) -> (%x) {
}
func @g(%x: float32[2], %y: float32[2], %d: float32[2]) -> (%d) {
}
)");
}

}  // namespace
}  // namespace dyad::passes
