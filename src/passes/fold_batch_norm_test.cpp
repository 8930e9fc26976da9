#include "passes/fold_batch_norm.h"

#include "passes/eliminate.h"
#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

constexpr std::string_view kNormed = R"(
func @main(%x: float32[2, 3, 8, 8], state %w: float32[4, 3, 3, 3], state %b: float32[4], state %m: float32[4], state %v: float32[4]) -> (%2) {
  %1: float32[2, 4, 8, 8] = convolution(%x, %w, %b, stride=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, channels_last=false, filters=none)
  %2: float32[2, 4, 8, 8] = batch_norm_apply(%1, %m, %v, weight=none, bias=none, eps=1e-05)
})";

TEST(FoldBatchNorm, ScalesTheFilters) {
  EXPECT_EQ(after(kNormed, fold_batch_norm, eliminate_dead_code), R"(
func @main(%x: float32[2, 3, 8, 8], state %w: float32[4, 3, 3, 3], state %b: float32[4], state %m: float32[4], state %v: float32[4]) -> (%8) {
  %1: float32[4] = add(%v, other=1e-05)
  %2: float32[4] = rsqrt(%1)
  %3: float32[4, 1, 1, 1] = reshape(%2, shape=[4, 1, 1, 1])
  %4: float32[4, 3, 3, 3] = mul(%w, %3)
  %5: float32[4] = sub(%m, %b)
  %6: float32[4] = mul(%5, %2)
  %7: float32[4] = neg(%6)
  %8: float32[2, 4, 8, 8] = convolution(%x, %4, %7, stride=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, channels_last=false, filters=none)
}
)");
  const std::vector<Arg> inputs{waves({2, 3, 8, 8}, 0.7), waves({4, 3, 3, 3}, 0.3), waves({4}, 0.9),
                                waves({4}, 1.3), vector({0.5, 1, 2, 0.1})};
  EXPECT_LT(change_by(kNormed, inputs, fold_batch_norm), 1e-4);
}

TEST(FoldBatchNorm, LeavesAResultWithAnotherUser) {
  std::string text(kNormed);
  text.replace(text.find("-> (%2)"), 7, "-> (%2, %1)");
  EXPECT_EQ(operators_of(after(text, fold_batch_norm, eliminate_dead_code)), "convolution batch_norm_apply");
}

TEST(FoldBatchNorm, TakesScaleAndShift) {
  std::string text(kNormed);
  text.replace(text.find("weight=none, bias=none"), 22, "%g, %h");
  text.replace(text.find(") -> (%2)"), 9, ", state %g: float32[4], state %h: float32[4]) -> (%2)");
  const std::vector<Arg> inputs{waves({2, 3, 8, 8}, 0.7), waves({4, 3, 3, 3}, 0.3), waves({4}, 0.9),
                                waves({4}, 1.3),          vector({0.5, 1, 2, 0.1}), waves({4}, 0.2),
                                waves({4}, 0.4)};
  EXPECT_EQ(operators_of(after(text, fold_batch_norm, eliminate_dead_code)),
            "add rsqrt mul reshape mul sub mul sub convolution");
  EXPECT_LT(change_by(text, inputs, fold_batch_norm), 1e-4);
}

}  // namespace
}  // namespace dyad::passes
