#include "passes/domain.h"

#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

/// The domain of all nodes of a graph, consumers first; null where there is none.
std::unique_ptr<Domain> domain_of(const ir::Function& function) {
  auto domain = std::make_unique<Domain>();
  for (auto at = function.nodes.rbegin(); at != function.nodes.rend(); ++at) {
    if (!domain->add(**at, role_of(**at))) return nullptr;
  }
  return domain;
}
const ir::GraphValue& result_at(const ir::Function& function, size_t i) {
  return *(*std::next(function.nodes.begin(), static_cast<std::ptrdiff_t>(i)))->results[0];
}

TEST(Domain, SpansWhatIsReducedAndWhatIsKept) {
  const auto module = read(R"(
func @main(%x: float32[8, 4]) -> (%3) {
  %1: float32[8, 4] = exp(%x)
  %2: float32[8, 1] = sum(%1, axis=[1], keepdims=true, dtype=none)
  %3: float32[8, 4] = div(%1, %2)
})");
  const ir::Function& main = module->main();
  const auto domain = domain_of(main);
  ASSERT_TRUE(domain);
  EXPECT_EQ(domain->size(), Dim(32));
  EXPECT_TRUE(domain->reduces());
  EXPECT_TRUE(domain->spans_all(result_at(main, 0)));
  EXPECT_TRUE(domain->spans_kept(result_at(main, 1)));
  EXPECT_FALSE(domain->spans_all(result_at(main, 1)));
  EXPECT_TRUE(domain->allows({&result_at(main, 1), &result_at(main, 2)}));
}

TEST(Domain, ResultsSpanAllOrWhatIsKept) {
  const auto module = read(R"(
func @main(%x: float32[8, 4], %y: float32[4]) -> (%2) {
  %1: float32[4] = exp(%y)
  %2: float32[8, 4] = add(%x, %1)
})");
  const ir::Function& main = module->main();
  const auto domain = domain_of(main);
  ASSERT_TRUE(domain);
  EXPECT_TRUE(domain->allows({&result_at(main, 1)}));
  EXPECT_FALSE(domain->allows({&result_at(main, 0)}));
}

TEST(Domain, ReductionsOverDifferentAxesDoNotGoTogether) {
  const auto module = read(R"(
func @main(%x: float32[8, 4]) -> (%2, %3) {
  %1: float32[8, 4] = exp(%x)
  %2: float32[8] = sum(%1, axis=[1], keepdims=false, dtype=none)
  %3: float32[4] = sum(%1, axis=[0], keepdims=false, dtype=none)
})");
  const ir::Function& main = module->main();
  const auto domain = domain_of(main);
  EXPECT_FALSE(domain && domain->allows({&result_at(main, 1), &result_at(main, 2)}));
}

}  // namespace
}  // namespace dyad::passes
