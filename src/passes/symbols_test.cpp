#include "passes/symbols.h"

#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

Symbols symbols_of(const Dims& dims) {
  Symbols symbols;
  add_symbols(dims, symbols);
  return symbols;
}

TEST(Symbols, OccurInExpressions) {
  const Dim n = Dim::symbol("n");
  const Dim m = Dim::symbol("m");
  EXPECT_TRUE(is_named(n));
  EXPECT_FALSE(is_named(n + m));
  EXPECT_FALSE(is_named(Dim(3)));
  EXPECT_TRUE(symbols_of({3, 4}).empty());
  EXPECT_EQ(symbols_of({n * 2, 3}), symbols_of({n}));
  EXPECT_EQ(symbols_of({max(n, m + 1)}), symbols_of({m, n}));
  EXPECT_EQ(symbols_of({m, n}).size(), 2U);
}

TEST(Symbols, OfANodeAreThoseThatItNeedsAndTells) {
  const auto module = read(R"(
func @main(%k: number int64, %x: float32[n]) -> (%1) {
  define_symbol(%k, name="m")
  %1: float32[(n + 1)] = full(shape=[(n + 1)], value=1, dtype=float32)
})");
  Symbols defined;
  add_symbols(*module->main().nodes.front(), defined);
  EXPECT_EQ(defined, symbols_of({Dim::symbol("m")}));
  Symbols used;
  add_symbols(*module->main().nodes.back(), used);
  EXPECT_EQ(used, symbols_of({Dim::symbol("n")}));
}

}  // namespace
}  // namespace dyad::passes
