#include "passes/substitute.h"

#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

TEST(Substitution, WritesSizesIntoExpressions) {
  const Dim n = Dim::symbol("n");
  const Dim m = Dim::symbol("m");
  Substitution sizes;
  sizes.replace(n, 4);
  EXPECT_EQ(sizes(n), Dim(4));
  EXPECT_EQ(sizes(m), m);
  EXPECT_EQ(sizes(n * 2 + m), m + 8);
  EXPECT_EQ(sizes(floor_div(n, 3)), Dim(1));
  EXPECT_EQ(sizes(max(n, 7)), Dim(7));
  EXPECT_EQ(sizes(min(n, 7)), Dim(4));
  EXPECT_EQ(sizes(Dims{n, 3, m}), (Dims{4, 3, m}));
}

TEST(Substitution, AppliesToANodeAndToTheEnd) {
  const auto module = read(R"(
func @main(%x: float32[n], %y: float32[n]) -> (%x) {
  %1: float32[n] = reshape(%x, shape=[n])
})");
  ir::Function& main = module->main();
  Substitution substitution;
  substitution.replace(*main.params[0], main.params[1]);
  substitution.replace(Dim::symbol("n"), 3);
  substitution.apply(*main.nodes.front());
  substitution.apply_to_end(main);
  EXPECT_EQ(ir::print(main),
            "func @main(%x: float32[n], %y: float32[n]) -> (%y) {\n"
            "  %1: float32[3] = reshape(%y, shape=[3])\n}\n");
}

}  // namespace
}  // namespace dyad::passes
