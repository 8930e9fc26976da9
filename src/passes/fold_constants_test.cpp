#include "passes/fold_constants.h"

#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

std::string folded(std::string_view text) {
  return after(text, [](ir::Module& module) { fold_constants(module, eager::builder()); });
}

TEST(FoldConstants, ComputesNumbersSizesAndTensors) {
  EXPECT_EQ(folded(R"(
func @main(%x: float32[2]) -> (%3, %4, %6) {
  %1: number int64 = constant 6
  %2: number int64 = dim(size=[7])
  %3: number int64 = number_mul(%1, %2)
  %4: number int64 = number_floordiv(%1, other=0)
  %5: float32[2] = constant {1.0, 2.0}
  %6: float32[2] = add(%5, %5)
})"),
            R"(
func @main(%x: float32[2]) -> (%3, %4, %6) {
  %1: number int64 = constant 6
  %2: number int64 = constant 7
  %3: number int64 = constant 42
  %4: number int64 = number_floordiv(%1, other=0)
  %5: float32[2] = constant {1.0, 2.0}
  %6: float32[2] = constant {2.0, 4.0}
}
)");
}

TEST(FoldConstants, LeavesWhatDrawsChecksLooksOrTakesMuchMemory) {
  constexpr std::string_view text = R"(
func @main() -> (%2, %3, %5, %6) {
  %1: float32[2] = constant {1.0, 2.0}
  %2: float32[2] = random_uniform(shape=[2], low=0.0, high=1.0, dtype=none, seed=none)
  %3: float32[2, 1] = reshape(%1, shape=[2, 1])
  %4: int64[1] = constant {5}
  %5: float32[1] = gather_elements(%1, dim=0, %4)
  %6: float32[2] = full(shape=[2], value=1, dtype=float32)
}
)";
  EXPECT_EQ(folded(text), text);
}

}  // namespace
}  // namespace dyad::passes
