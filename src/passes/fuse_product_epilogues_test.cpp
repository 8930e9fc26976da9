#include "passes/fuse_epilogues.h"

#include "passes/pack_weights.h"
#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

TEST(FuseProductEpilogues, TakesAChain) {
  const char* text = R"(
func @main(%x: float32[3, 4], %w: float32[5, 4], %b: float32[5], %r: float32[3, 5]) -> (%4) {
  %1: float32[3, 5] = dense(%x, %w, %b)
  %2: float32[3, 5] = relu(%1)
  %3: float32[3, 5] = add(%r, %2)
  %4: float32[3, 5] = mul(%3, other=0.5)
})";
  EXPECT_EQ(after(text, fuse_product_epilogues), R"(
func @main(%x: float32[3, 4], %w: float32[5, 4], %b: float32[5], %r: float32[3, 5]) -> (%2) {
  %1: float32[4, 5] = permute(%w, axis=[1, 0])
  %2: float32[3, 5] = product(%x, %1, %b, steps="relu add mul#", (%r), numbers=floats[0.5])
}
)");
  EXPECT_LT(change_by(text, {waves({3, 4}, 1), waves({5, 4}, 2), waves({5}, 3), waves({3, 5}, 4)},
                      fuse_product_epilogues),
            1e-5);
}

TEST(FuseProductEpilogues, StopsAtAnotherUser) {
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
  EXPECT_EQ(after(text, fuse_product_epilogues).find("= product("), std::string::npos);
  const char* write = R"(
func @main(state %x: float32[2, 2]) -> (%2, state %x = %x1) {
  %1: float32[2, 2] = matmul(%x, %x)
  %x1: float32[2, 2] = assign(%x, value=1.0)
  %2: float32[2, 2] = relu(%1)
})";
  EXPECT_EQ(after(write, fuse_product_epilogues).find("= product("), std::string::npos);
}

TEST(FuseProductEpilogues, EveryElementwiseOperatorCanBeAStep) {
  // A step is looked up among the loops of elementwise operators: each must be registered with its own.
  eager::initialise();
  for (const Op* op : OpTable::instance().all()) {
    if (!op->elementwise || op->writes >= 0 || op->signature.params.size() > 2) continue;
    if (op->signature.params.back().kind == ParamKind::kDType) continue;
    EXPECT_NE(eager::kernel_of(*op).payload, nullptr) << op->name;
  }
}

TEST(FuseProductEpilogues, FollowsPackedProducts) {
  constexpr std::string_view text = R"(
func @main(%x: float32[2, 7, 30], state %w: float32[70, 30], state %b: float32[70], %r: float32[7, 1]) -> (%4) {
  %1: float32[2, 7, 70] = dense(%x, %w, %b)
  %2: float32[2, 7, 70] = gelu_erf(%1)
  %3: float32[2, 7, 70] = sub(%2, %r)
  %4: float32[2, 7, 70] = tanh(%3)
})";
  EXPECT_EQ(operators_of(after(text, pack_weights, fuse_product_epilogues)),
            "permute pack_panels panel_product");
  const std::vector<Arg> inputs{waves({2, 7, 30}, 1), waves({70, 30}, 2), waves({70}, 3), waves({7, 1}, 4)};
  EXPECT_LT(change_by(text, inputs, pack_weights, fuse_product_epilogues), 1e-5);
}

}  // namespace
}  // namespace dyad::passes
