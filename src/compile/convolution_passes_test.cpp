// The passes for convolution networks on the text of a graph: what goes in, what comes out, and that both
// compute the same.

#include "compile/program_fixture.h"
#include "passes/choose_layouts.h"
#include "passes/eliminate_dead_code.h"
#include "passes/fold_batch_norm.h"
#include "passes/fuse_norm_epilogues.h"

namespace dyad::compile {
namespace {

using Pass = void (*)(ir::Module&);

std::string after(std::string_view text, std::initializer_list<Pass> passes) {
  const auto module = read(text);
  for (const Pass pass : passes) pass(*module);
  passes::eliminate_dead_code(*module);
  ir::verify(*module);
  return "\n" + ir::print(*module);
}

/// The operators of the printed main function, one after the other.
std::string operators_of(const std::string& text) {
  std::string out;
  for (size_t at = text.find(" = "); at != std::string::npos; at = text.find(" = ", at + 1)) {
    const size_t start = at + 3;
    const size_t end = text.find_first_of("( ", start);
    out += cat(out.empty() ? "" : " ", text.substr(start, end - start));
  }
  return out;
}

Value waves(const Shape& shape, double step) {
  Tensor made = empty(DType::kFloat32, shape);
  for (int64_t i = 0; i < made->size(); ++i)
    made->as<float>()[i] = static_cast<float>(std::sin(step * static_cast<double>(i)));
  return made;
}

/// How far the results of the module are from those after the passes, at most.
double change_by(std::string_view text, std::initializer_list<Pass> passes, const std::vector<Arg>& inputs) {
  std::vector<std::vector<Arg>> results;
  for (const bool changed : {false, true}) {
    std::shared_ptr<ir::Module> module = read(text);
    if (changed) {
      for (const Pass pass : passes) pass(*module);
    }
    ir::verify(*module);
    const Ref<Program> program(new Program(std::move(module)));
    Journal journal;
    program->run(inputs, results.emplace_back(), journal);
  }
  static const Op& copy = OpTable::instance().get("copy");
  double most = 0;
  for (size_t r = 0; r < results[0].size(); ++r) {
    const Arg before[] = {results[0][r]};
    const Arg behind[] = {results[1][r]};
    const Value left = eager::run_one(copy, before);
    const Value right = eager::run_one(copy, behind);
    EXPECT_EQ(left->shape, right->shape);
    for (int64_t i = 0; i < left->size(); ++i) {
      const double difference = left->as<float>()[i] - right->as<float>()[i];
      if (!(std::abs(difference) <= most)) most = std::abs(difference);
    }
  }
  return most;
}

constexpr std::string_view kNormed = R"(
func @main(%x: float32[2, 3, 8, 8], state %w: float32[4, 3, 3, 3], state %b: float32[4], state %m: float32[4], state %v: float32[4]) -> (%2) {
  %1: float32[2, 4, 8, 8] = convolution(%x, %w, %b, stride=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1)
  %2: float32[2, 4, 8, 8] = batch_norm_apply(%1, %m, %v, weight=none, bias=none, eps=1e-05)
})";

TEST(FoldBatchNorm, ScalesTheFilters) {
  EXPECT_EQ(after(kNormed, {passes::fold_batch_norm}), R"(
func @main(%x: float32[2, 3, 8, 8], state %w: float32[4, 3, 3, 3], state %b: float32[4], state %m: float32[4], state %v: float32[4]) -> (%8) {
  %1: float32[4] = add(%v, other=1e-05)
  %2: float32[4] = rsqrt(%1)
  %3: float32[4, 1, 1, 1] = reshape(%2, shape=[4, 1, 1, 1])
  %4: float32[4, 3, 3, 3] = mul(%w, %3)
  %5: float32[4] = sub(%m, %b)
  %6: float32[4] = mul(%5, %2)
  %7: float32[4] = neg(%6)
  %8: float32[2, 4, 8, 8] = convolution(%x, %4, %7, stride=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1)
}
)");
  const std::vector<Arg> inputs{waves({2, 3, 8, 8}, 0.7), waves({4, 3, 3, 3}, 0.3), waves({4}, 0.9),
                                waves({4}, 1.3), vector({0.5, 1, 2, 0.1})};
  EXPECT_LT(change_by(kNormed, {passes::fold_batch_norm}, inputs), 1e-4);
}

TEST(FoldBatchNorm, LeavesAResultThatSomebodyElseUses) {
  std::string text(kNormed);
  text.replace(text.find("-> (%2)"), 7, "-> (%2, %1)");
  EXPECT_EQ(operators_of(after(text, {passes::fold_batch_norm})), "convolution batch_norm_apply");
}

constexpr std::string_view kLayers = R"(
func @main(%x: float32[2, 8, 16, 16], %w: float32[16, 8, 3, 3], %u: float32[16, 16, 3, 3], %s: float32[16, 1, 1]) -> (%5, %3) {
  %1: float32[2, 16, 16, 16] = convolution(%x, %w, bias=none, stride=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1)
  %2: float32[2, 16, 16, 16] = mul(%1, %s)
  %3: float32[2, 16, 16, 16] = relu(%2)
  %4: float32[2, 16, 8, 8] = max_pool(%3, kernel=[2, 2], stride=[2, 2], padding=[0, 0, 0, 0], dilation=[1, 1], ceil_mode=false)
  %5: float32[2, 16, 8, 8] = convolution(%4, %u, bias=none, stride=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1)
})";

TEST(ChooseLayouts, CarriesTheOrderFromLayerToLayer) {
  const std::string text = after(kLayers, {passes::choose_layouts});
  EXPECT_EQ(operators_of(text),
            "permute copy pack_filters convolution_last reshape permute mul relu permute max_pool_last "
            "pack_filters convolution_last permute copy copy")
      << text;
  const std::vector<Arg> inputs{waves({2, 8, 16, 16}, 0.7), waves({16, 8, 3, 3}, 0.3),
                                waves({16, 16, 3, 3}, 0.9), waves({16, 1, 1}, 1.3)};
  EXPECT_LT(change_by(kLayers, {passes::choose_layouts}, inputs), 1e-4);
}

TEST(ChooseLayouts, LeavesWhatIsSmallAloneOrWrittenTo) {
  const std::string_view small = R"(
func @main(%x: float32[1, 2, 4, 4], %w: float32[2, 2, 3, 3]) -> (%2) {
  %1: float32[1, 2, 4, 4] = convolution(%x, %w, bias=none, stride=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1)
  %2: float32[1, 2, 4, 4] = convolution(%1, %w, bias=none, stride=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1)
})";
  EXPECT_EQ(operators_of(after(small, {passes::choose_layouts})), "convolution convolution");
  const std::string_view alone = R"(
func @main(%x: float32[2, 16, 16, 16], %w: float32[16, 16, 3, 3]) -> (%2) {
  %1: float32[2, 16, 16, 16] = convolution(%x, %w, bias=none, stride=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1)
  %2: float32[2, 16, 16, 16] = exp(%1)
})";
  EXPECT_EQ(operators_of(after(alone, {passes::choose_layouts})), "convolution exp");
  const std::string_view written = R"(
func @main(%x: float32[2, 16, 16, 16], %w: float32[16, 16, 3, 3]) -> (%3) {
  %1: float32[2, 16, 16, 16] = convolution(%x, %w, bias=none, stride=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1)
  %2: float32[2, 16, 16, 16] = copy_into(%1, %x)
  %3: float32[2, 16, 16, 16] = convolution(%2, %w, bias=none, stride=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1)
})";
  EXPECT_EQ(operators_of(after(written, {passes::choose_layouts})), "convolution copy_into convolution");
}

constexpr std::string_view kBranches = R"(
func @main(%x: float32[2, 4, 4, 8], %z: float32[2, 4, 4, 8], %g: float32[2, 4, 4, 8]) -> (%8, %9, %10, %2) {
  %1: float32[2, 4, 4, 8], %2: float32[8], %3: float32[8] = batch_norm_train_last(%x, weight=none, bias=none, added=none, eps=1e-05, rectified=false)
  %4: float32[2, 4, 4, 8], %5: float32[8], %6: float32[8] = batch_norm_train_last(%z, weight=none, bias=none, added=none, eps=1e-05, rectified=false)
  %7: float32[2, 4, 4, 8] = add(%1, %4)
  %8: float32[2, 4, 4, 8] = relu(%7)
  %11: float32[2, 4, 4, 8] = relu_grad(%g, %8)
  %9: float32[2, 4, 4, 8], %10: float32[8], %12: float32[8] = batch_norm_train_grad_last(%11, %x, %2, %3, weight=none, output=none, eps=1e-05)
})";

TEST(AttachNormSteps, TheLaterBranchTakesTheSumAndTheRectifier) {
  EXPECT_EQ(after(kBranches, {passes::fuse_norm_epilogues}), R"(
func @main(%x: float32[2, 4, 4, 8], %z: float32[2, 4, 4, 8], %g: float32[2, 4, 4, 8]) -> (%4, %7, %8, %2) {
  %1: float32[2, 4, 4, 8], %2: float32[8], %3: float32[8] = batch_norm_train_last(%x, weight=none, bias=none, added=none, eps=1e-05, rectified=false)
  %4: float32[2, 4, 4, 8], %5: float32[8], %6: float32[8] = batch_norm_train_last(%z, weight=none, bias=none, %1, eps=1e-05, rectified=true)
  %7: float32[2, 4, 4, 8], %8: float32[8], %9: float32[8] = batch_norm_train_grad_last(%g, %x, %2, %3, weight=none, %4, eps=1e-05)
}
)");
  const std::vector<Arg> inputs{waves({2, 4, 4, 8}, 0.7), waves({2, 4, 4, 8}, 0.3), waves({2, 4, 4, 8}, 1.9)};
  EXPECT_LT(change_by(kBranches, {passes::fuse_norm_epilogues}, inputs), 1e-5);
}

}  // namespace
}  // namespace dyad::compile
