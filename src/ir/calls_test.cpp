#include "ir/calls.h"

#include <gtest/gtest.h>

#include "ir/parser.h"

namespace dyad::ir {
namespace {

using Role = Callee::Role;

std::unique_ptr<Module> program() {
  return parse(R"(
func @main(%b: bool_[], %x: float32[2], %y: float32[2]) -> (%1, %2, %3) {
  %1: float32[2] = call @f(%x, %y) gradient @g
  %2: float32[2] = if %b then @f else @h(%x, %y)
  %3: float32[2] = while @test do @f(%x) with (%y)
}
func @f(%x: float32[2], %y: float32[2]) -> (%x) {
}
func @h(%x: float32[2], %y: float32[2]) -> (%1) {
  %1: float32[2] = call @h(%x, %y)
}
func @g(%x: float32[2], %y: float32[2], %r: float32[2], %d: float32[2]) -> (%d, %d) {
}
func @test(%x: float32[2], %y: float32[2]) -> (%1) {
  %1: bool_[] = call @yes()
}
func @yes() -> (%1) {
  %1: bool_[] = call @yes()
}
func @unused() -> () {
})",
               {[](std::string_view) { return nullptr; }, {}});
}

std::vector<Role> roles_of(const Node& node) {
  std::vector<Role> roles;
  for (const Callee& callee : callees_of(node)) roles.push_back(callee.role);
  return roles;
}

TEST(Calls, ACallRunsItsFunctionAndNotItsGradient) {
  const auto module = program();
  const Node& call = *module->main().nodes.front();
  EXPECT_EQ(roles_of(call), (std::vector{Role::kCall, Role::kGradient}));
  const Callees callees = callees_of(call);
  EXPECT_EQ(callees.begin()->function, module->find("f"));
  EXPECT_TRUE(callees.begin()->runs() && callees.begin()->gives_results());
  EXPECT_FALSE((callees.begin() + 1)->runs() || (callees.begin() + 1)->gives_results());
  EXPECT_EQ(first_passed_argument(call), 0u);
  EXPECT_EQ(carried_count(call), 0u);
}

TEST(Calls, ArmsGetWhatFollowsTheCondition) {
  const auto module = program();
  const Node& branch = **std::next(module->main().nodes.begin());
  EXPECT_EQ(roles_of(branch), (std::vector{Role::kArm, Role::kArm}));
  for (const Callee& arm : callees_of(branch)) {
    EXPECT_EQ(arm.first_argument, 1u);
    EXPECT_TRUE(arm.gives_results());
  }
  EXPECT_FALSE(is_loop(branch));
}

TEST(Calls, ALoopCarriesItsFirstArguments) {
  const auto module = program();
  const Node& loop = *module->main().nodes.back();
  EXPECT_EQ(roles_of(loop), (std::vector{Role::kCondition, Role::kBody}));
  EXPECT_TRUE(is_loop(loop));
  EXPECT_EQ(carried_count(loop), 1u);
  const Callees callees = callees_of(loop);
  EXPECT_TRUE(callees.begin()->runs());
  EXPECT_FALSE(callees.begin()->gives_results());
  EXPECT_TRUE((callees.begin() + 1)->gives_results());
}

TEST(Calls, SitesAndReach) {
  const auto module = program();
  const auto sites = count_call_sites(*module);
  EXPECT_EQ(sites.at(module->find("f")), 3u);
  EXPECT_EQ(sites.at(module->find("h")), 2u);
  EXPECT_FALSE(sites.contains(module->find("unused")));
  const auto reached = reachable_from(module->main());
  EXPECT_EQ(reached.size(), 5u);
  EXPECT_FALSE(reached.contains(&module->main()));
  EXPECT_TRUE(reachable_from(*module->find("h")).contains(module->find("h")));
  EXPECT_TRUE(reachable_from(*module->find("f")).empty());
}

}  // namespace
}  // namespace dyad::ir
