#include "passes/fuse_epilogues.h"

#include "passes/eliminate.h"
#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

constexpr std::string_view kBranches = R"(
func @main(%x: float32[2, 4, 4, 8], %z: float32[2, 4, 4, 8], %g: float32[2, 4, 4, 8]) -> (%8, %9, %10, %2) {
  %1: float32[2, 4, 4, 8], %2: float32[8], %3: float32[8] = batch_norm_train(%x, weight=none, bias=none, eps=1e-05, channels_last=true, added=none, rectified=false)
  %4: float32[2, 4, 4, 8], %5: float32[8], %6: float32[8] = batch_norm_train(%z, weight=none, bias=none, eps=1e-05, channels_last=true, added=none, rectified=false)
  %7: float32[2, 4, 4, 8] = add(%1, %4)
  %8: float32[2, 4, 4, 8] = relu(%7)
  %11: float32[2, 4, 4, 8] = relu_grad(%g, %8)
  %9: float32[2, 4, 4, 8], %10: float32[8], %12: float32[8] = batch_norm_train_grad(%11, %x, %2, %3, weight=none, eps=1e-05, channels_last=true, output=none)
})";

TEST(FuseNormEpilogues, TheLaterBranchTakesTheSumAndTheRectifier) {
  EXPECT_EQ(after(kBranches, fuse_norm_epilogues, eliminate_dead_code), R"(
func @main(%x: float32[2, 4, 4, 8], %z: float32[2, 4, 4, 8], %g: float32[2, 4, 4, 8]) -> (%4, %7, %8, %2) {
  %1: float32[2, 4, 4, 8], %2: float32[8], %3: float32[8] = batch_norm_train(%x, weight=none, bias=none, eps=1e-05, channels_last=true, added=none, rectified=false)
  %4: float32[2, 4, 4, 8], %5: float32[8], %6: float32[8] = batch_norm_train(%z, weight=none, bias=none, eps=1e-05, channels_last=true, %1, rectified=true)
  %7: float32[2, 4, 4, 8], %8: float32[8], %9: float32[8] = batch_norm_train_grad(%g, %x, %2, %3, weight=none, eps=1e-05, channels_last=true, %4)
}
)");
  const std::vector<Arg> inputs{waves({2, 4, 4, 8}, 0.7), waves({2, 4, 4, 8}, 0.3), waves({2, 4, 4, 8}, 1.9)};
  EXPECT_LT(change_by(kBranches, inputs, fuse_norm_epilogues), 1e-5);
}

TEST(FuseNormEpilogues, LeavesWhatHasAnotherUser) {
  std::string text(kBranches);
  text.replace(text.find("%8, %9"), 2, "%7, %8");
  EXPECT_EQ(operators_of(after(text, fuse_norm_epilogues, eliminate_dead_code)),
            "batch_norm_train batch_norm_train relu batch_norm_train_grad");
}

}  // namespace
}  // namespace dyad::passes
