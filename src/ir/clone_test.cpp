#include "ir/clone.h"

#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace dyad::ir {
namespace {

constexpr const char* kText =
    R"(func @main(state %p: float32[2], %b: number bool_, %t: token) -> (%1, %2, state %p = %1) {
  %1: float32[2] = if %b then @more else @same(%p)
  %2: token = host "print" #3(%t, %1) at "f.py":4:2
}
func @more(%x: float32[2]) -> (%1) {
  %1: float32[2] = call @same(%x)
}
func @same(%x: float32[2]) -> (%x) {
}
)";

TEST(Clone, IsTheSameModuleAndLeavesTheFirstAsItIs) {
  const auto module = parse(kText, {[](std::string_view) { return nullptr; }, {}});
  verify(*module);
  const std::shared_ptr<Module> again = clone(*module);
  verify(*again);
  EXPECT_EQ(print(*again), print(*module));
  again->main().results.pop_back();
  again->main().nodes.pop_back();
  again->functions.front()->nodes.front()->functions.front()->name = "other";
  EXPECT_EQ(print(*module), kText);
}

TEST(Clone, ValuesBelongToTheNewFunctions) {
  const auto module = parse(kText, {[](std::string_view) { return nullptr; }, {}});
  const std::shared_ptr<Module> again = clone(*module);
  for (const auto& function : again->functions) {
    for (const auto& node : function->nodes) {
      EXPECT_EQ(node->function, function.get());
      for (const auto& result : node->results) EXPECT_EQ(result->function, function.get());
      for (const Function* callee : node->functions) EXPECT_EQ(again->find(callee->name), callee);
    }
  }
}

}  // namespace
}  // namespace dyad::ir
