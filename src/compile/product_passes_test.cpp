// Passes on products, on the text of a graph: what goes in, what comes out, and that both compute the same.

#include <cmath>

#include "compile/program_fixture.h"
#include "passes/eliminate_dead_code.h"
#include "passes/fuse_product_epilogues.h"
#include "passes/match_attention.h"
#include "passes/pack_weights.h"

namespace dyad::compile {
namespace {

template <class Pass>
std::string after(std::string_view text, const Pass& pass) {
  const auto module = read(text);
  pass(*module);
  ir::verify(*module);
  return "\n" + ir::print(*module);
}

/// A tensor with elements that differ and are of both signs.
Value mixed(const Shape& shape, double start) {
  Tensor made = empty(DType::kFloat32, shape);
  for (int64_t i = 0; i < made->size(); ++i)
    made->as<float>()[i] = static_cast<float>(std::sin(start + static_cast<double>(i)));
  return made;
}

std::vector<float> results_of(std::string_view text, const std::vector<Arg>& inputs, bool optimise) {
  Options options;
  options.verify = true;
  options.optimise = optimise;
  const Ref<Program> program = compile(read(text), options);
  std::vector<Arg> outputs;
  Journal journal;
  program->run(inputs, outputs, journal);
  std::vector<float> all;
  for (const Arg& output : outputs) {
    const Value& value = *output.get<Value>();
    all.insert(all.end(), value->as<float>(), value->as<float>() + value->size());
  }
  return all;
}

void expect_same(std::string_view text, const std::vector<Arg>& inputs) {
  const std::vector<float> plain = results_of(text, inputs, false);
  const std::vector<float> fast = results_of(text, inputs, true);
  ASSERT_EQ(plain.size(), fast.size());
  for (size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(plain[i], fast[i], 1e-5 * (1 + std::fabs(plain[i])));
}

TEST(PackWeights, PacksParametersThatStay) {
  const char* text = R"(
func @main(%x: float32[3, 4], state %w: float32[20, 4], state %b: float32[20], state %v: float32[20, 16]) -> (%2) {
  %1: float32[3, 20] = dense(%x, %w, %b)
  %2: float32[3, 16] = matmul(%1, %v)
})";
  EXPECT_EQ(after(text, passes::pack_weights), R"(
func @main(%x: float32[3, 4], state %w: float32[20, 4], state %b: float32[20], state %v: float32[20, 16]) -> (%5) {
  %1: float32[4, 20] = permute(%w, axis=[1, 0])
  %2: float32[1, 4, 64] = pack_panels(%1)
  %3: float32[3, 20] = panel_product(%x, %2, columns=20, %b, steps="", (), numbers=floats[])
  %4: float32[1, 20, 64] = pack_panels(%v)
  %5: float32[3, 16] = panel_product(%3, %4, columns=16, bias=none, steps="", (), numbers=floats[])
}
)");
  expect_same(text, {mixed({3, 4}, 1), mixed({20, 4}, 2), mixed({20}, 3), mixed({20, 16}, 4)});
}

TEST(PackWeights, LeavesWhatIsWrittenOrNoParameter) {
  const char* written = R"(
func @main(%x: float32[3, 4], state %w: float32[20, 4]) -> (%1, state %w = %w1) {
  %1: float32[3, 20] = dense(%x, %w, bias=none)
  %w1: float32[20, 4] = assign(%w, value=1.0)
})";
  EXPECT_EQ(after(written, passes::pack_weights).find("pack_panels"), std::string::npos);
  const char* input = R"(
func @main(%x: float32[3, 4], %w: float32[20, 4], state %few: float32[3, 4]) -> (%1, %2) {
  %1: float32[3, 20] = dense(%x, %w, bias=none)
  %2: float32[3, 3] = dense(%x, %few, bias=none)
})";
  EXPECT_EQ(after(input, passes::pack_weights).find("pack_panels"), std::string::npos);
}

TEST(AttachProductSteps, TakesAChain) {
  const char* text = R"(
func @main(%x: float32[3, 4], %w: float32[5, 4], %b: float32[5], %r: float32[3, 5]) -> (%4) {
  %1: float32[3, 5] = dense(%x, %w, %b)
  %2: float32[3, 5] = relu(%1)
  %3: float32[3, 5] = add(%r, %2)
  %4: float32[3, 5] = mul(%3, other=0.5)
})";
  EXPECT_EQ(after(text, passes::fuse_product_epilogues), R"(
func @main(%x: float32[3, 4], %w: float32[5, 4], %b: float32[5], %r: float32[3, 5]) -> (%2) {
  %1: float32[4, 5] = permute(%w, axis=[1, 0])
  %2: float32[3, 5] = product(%x, %1, %b, steps="relu add mul#", (%r), numbers=floats[0.5])
}
)");
  expect_same(text, {mixed({3, 4}, 1), mixed({5, 4}, 2), mixed({5}, 3), mixed({3, 5}, 4)});
}

TEST(AttachProductSteps, StopsWhereSomebodyElseLooks) {
  // Two uses, a larger result, a number that comes first, a write that the product must not move past.
  const char* text = R"(
func @main(%x: float32[2, 2], %y: float32[3, 2, 2]) -> (%2, %3, %5, %7) {
  %1: float32[2, 2] = matmul(%x, %x)
  %2: float32[2, 2] = relu(%1)
  %3: float32[2, 2] = exp(%1)
  %4: float32[2, 2] = matmul(%x, %x)
  %5: float32[3, 2, 2] = add(%4, %y)
  %6: float32[2, 2] = matmul(%x, %2)
  %7: float32[2, 2] = sub(input=1.0, %6)
})";
  EXPECT_EQ(after(text, passes::fuse_product_epilogues).find("= product("), std::string::npos);
  const char* write = R"(
func @main(state %x: float32[2, 2]) -> (%2, state %x = %x1) {
  %1: float32[2, 2] = matmul(%x, %x)
  %x1: float32[2, 2] = assign(%x, value=1.0)
  %2: float32[2, 2] = relu(%1)
})";
  EXPECT_EQ(after(write, passes::fuse_product_epilogues).find("= product("), std::string::npos);
}

TEST(AttachProductSteps, EveryElementwiseOperatorCanBeAStep) {
  // A step is looked up among the loops of elementwise operators: each must be registered with its own.
  eager::initialise();
  for (const Op* op : OpTable::instance().all()) {
    if (!op->elementwise || op->writes >= 0 || op->signature.params.size() > 2) continue;
    if (op->signature.params.back().kind == ParamKind::kDType) continue;
    EXPECT_NE(eager::kernel_of(*op).payload, nullptr) << op->name;
  }
}

TEST(AttachProductSteps, FollowsPackedProducts) {
  expect_same(R"(
func @main(%x: float32[2, 7, 30], state %w: float32[70, 30], state %b: float32[70], %r: float32[7, 1]) -> (%4) {
  %1: float32[2, 7, 70] = dense(%x, %w, %b)
  %2: float32[2, 7, 70] = gelu_erf(%1)
  %3: float32[2, 7, 70] = sub(%2, %r)
  %4: float32[2, 7, 70] = tanh(%3)
})",
              {mixed({2, 7, 30}, 1), mixed({70, 30}, 2), mixed({70}, 3), mixed({7, 1}, 4)});
}

TEST(MatchAttention, TakesScaleAndMask) {
  const char* text = R"(
func @main(%q: float32[2, 3, 4], %k: float32[2, 4, 5], %v: float32[2, 5, 6], %m: float32[3, 5]) -> (%5) {
  %1: float32[2, 3, 5] = matmul(%q, %k)
  %2: float32[2, 3, 5] = div(%1, other=2.0)
  %3: float32[2, 3, 5] = add(%m, %2)
  %4: float32[2, 3, 5] = softmax(%3, axis=2, dtype=none)
  %5: float32[2, 3, 6] = matmul(%4, %v)
})";
  const auto module = read(text);
  passes::match_attention(*module);
  passes::eliminate_dead_code(*module);
  ir::verify(*module);
  EXPECT_EQ("\n" + ir::print(*module), R"(
func @main(%q: float32[2, 3, 4], %k: float32[2, 4, 5], %v: float32[2, 5, 6], %m: float32[3, 5]) -> (%2) {
  %1: float32[2, 5, 4] = permute(%k, axis=[0, 2, 1])
  %2: float32[2, 3, 6] = attention(%q, %1, %v, %m, causal=false, scale=0.5)
}
)");
  expect_same(text, {mixed({2, 3, 4}, 1), mixed({2, 4, 5}, 2), mixed({2, 5, 6}, 3), mixed({3, 5}, 4)});
}

TEST(MatchAttention, LeavesWhatSomebodyElseSees) {
  const char* text = R"(
func @main(%q: float32[3, 4], %k: float32[4, 5], %v: float32[5, 6]) -> (%2, %3) {
  %1: float32[3, 5] = matmul(%q, %k)
  %2: float32[3, 5] = softmax(%1, axis=-1, dtype=none)
  %3: float32[3, 6] = matmul(%2, %v)
})";
  EXPECT_EQ(after(text, passes::match_attention).find("attention("), std::string::npos);
  const char* other_axis = R"(
func @main(%q: float32[3, 4], %k: float32[4, 5], %v: float32[5, 6]) -> (%3) {
  %1: float32[3, 5] = matmul(%q, %k)
  %2: float32[3, 5] = softmax(%1, axis=0, dtype=none)
  %3: float32[3, 6] = matmul(%2, %v)
})";
  EXPECT_EQ(after(other_axis, passes::match_attention).find("attention("), std::string::npos);
}

}  // namespace
}  // namespace dyad::compile
