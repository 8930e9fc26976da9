#include "passes/reduce_before_reshape.h"

#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

TEST(ReduceBeforeReshape, WhereWholeAxesWereMerged) {
  const auto module = read(R"(
func @main(%x: float32[2, 4, 8]) -> (%3, %4, %6) {
  %1: float32[2, 4, 8] = exp(%x)
  %2: float32[8, 8] = reshape(%1, shape=[8, 8])
  %3: float32[8] = sum(%2, axis=[0], keepdims=false, dtype=none)
  %4: float32[8] = sum(%2, axis=[1], keepdims=false, dtype=none)
  %5: float32[4, 16] = reshape(%1, shape=[4, 16])
  %6: float32[16] = sum(%5, axis=[0], keepdims=false, dtype=none)
})");
  reduce_before_reshape(*module);
  ir::verify(*module);
  EXPECT_EQ("\n" + ir::print(*module), R"(
func @main(%x: float32[2, 4, 8]) -> (%3, %4, %6) {
  %1: float32[2, 4, 8] = exp(%x)
  %2: float32[8, 8] = reshape(%1, shape=[8, 8])
  %3: float32[8] = sum(%1, axis=[0, 1], keepdims=false, dtype=none)
  %4: float32[8] = sum(%2, axis=[1], keepdims=false, dtype=none)
  %5: float32[4, 16] = reshape(%1, shape=[4, 16])
  %6: float32[16] = sum(%5, axis=[0], keepdims=false, dtype=none)
}
)");
}

}  // namespace
}  // namespace dyad::passes
