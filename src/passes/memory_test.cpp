#include "passes/memory.h"

#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

const ir::GraphValue& named(const ir::Function& function, std::string_view name) {
  for (const auto& param : function.params) {
    if (param->name == name) return *param;
  }
  for (const auto& node : function.nodes) {
    for (const auto& result : node->results) {
      if (result->name == name) return *result;
    }
  }
  throw std::out_of_range(std::string(name));
}

constexpr std::string_view kProgram = R"(
func @main(%x: float32[2], %y: float32[2], %b: bool_[], %t: token) -> (%r) {
  %v: float32[1, 2] = reshape(%x, shape=[1, 2])
  %e: float32[2] = exp(%x)
  %x1: float32[2] = assign(%x, value=1.0)
  %c: float32[2] = constant {1.0, 2.0}
  %r: float32[2] = if %b then @write else @leave(%y, %c)
  %u: token = host "print"(%t, %e)
}
func @write(%a: float32[2], %c: float32[2]) -> (%1) {
  %1: float32[2] = assign(%a, value=0.0)
}
func @leave(%a: float32[2], %c: float32[2]) -> (%a) {
}
)";

TEST(Memory, ViewsAndVersionsShareIt) {
  const auto module = read(kProgram);
  const ir::Function& main = module->main();
  const ModuleMemory uses(*module);
  const FunctionMemory memory(main, uses);
  const auto of = [&](std::string_view name) -> const ir::GraphValue& { return named(main, name); };
  EXPECT_TRUE(memory.may_share(of("v"), of("x")));
  EXPECT_TRUE(memory.may_share(of("x1"), of("x")));
  EXPECT_FALSE(memory.may_share(of("e"), of("x")));
  EXPECT_FALSE(memory.may_share(of("x"), of("y")));
  EXPECT_EQ(memory.origin(of("x1")), &of("x"));
  EXPECT_EQ(memory.origin(of("v")), nullptr);
  EXPECT_TRUE(memory.has_param(of("v")));
  EXPECT_FALSE(memory.has_param(of("e")));
  EXPECT_TRUE(memory.has_constant(of("c")));
}

TEST(Memory, ArmsGiveTheLastVersionOfWhatBothWereGiven) {
  const auto module = read(kProgram);
  const ir::Function& main = module->main();
  const ModuleMemory uses(*module);
  const FunctionMemory memory(main, uses);
  EXPECT_EQ(memory.origin(named(main, "r")), &named(main, "y"));
  EXPECT_FALSE(memory.may_share(named(main, "r"), named(main, "c")));
  const MemoryUse& whole = uses.of(main);
  EXPECT_EQ(whole.consumes, (std::vector<bool>{true, true, false, false}));
  EXPECT_EQ(whole.results[0].version_of, 1);
  const auto branch = std::next(main.nodes.begin(), 4);
  EXPECT_FALSE(uses.consumes(**branch, 0));
  EXPECT_TRUE(uses.consumes(**branch, 1));
  EXPECT_FALSE(uses.consumes(**branch, 2));
}

TEST(Memory, GroupsThatAreWrittenOrShown) {
  const auto module = read(kProgram);
  const ir::Function& main = module->main();
  const ModuleMemory uses(*module);
  const FunctionMemory memory(main, uses);
  const auto written = memory.groups_written();
  EXPECT_TRUE(written.contains(memory.group(named(main, "v"))));
  EXPECT_TRUE(written.contains(memory.group(named(main, "r"))));
  EXPECT_FALSE(written.contains(memory.group(named(main, "e"))));
  EXPECT_TRUE(memory.groups_written_or_shown().contains(memory.group(named(main, "e"))));
  EXPECT_TRUE(uses.may_write(*main.nodes.back()));
  EXPECT_FALSE(uses.may_write(*main.nodes.front()));
}

TEST(Memory, ALoopGivesAVersionOnlyOfWhatItCarriesAtThatPlace) {
  const auto module = read(R"(
func @main(%b: bool_[], %x: float32[2], %y: float32[2]) -> (%p, %q, %r) {
  %p: float32[2], %q: float32[2] = while @test do @swap(%x, %y) with (%b)
  %r: float32[2] = while @test_2 do @stay(%x) with (%b)
}
func @test(%a: float32[2], %c: float32[2], %b: bool_[]) -> (%b) {
}
func @swap(%a: float32[2], %c: float32[2], %b: bool_[]) -> (%c, %a) {
}
func @test_2(%a: float32[2], %b: bool_[]) -> (%b) {
}
func @stay(%a: float32[2], %b: bool_[]) -> (%1) {
  %1: float32[2] = assign(%a, value=1.0)
})");
  const ir::Function& main = module->main();
  const ModuleMemory uses(*module);
  const FunctionMemory memory(main, uses);
  EXPECT_EQ(memory.origin(named(main, "p")), nullptr);
  EXPECT_TRUE(memory.may_share(named(main, "p"), named(main, "q")));
  EXPECT_EQ(memory.origin(named(main, "r")), &named(main, "x"));
}

}  // namespace
}  // namespace dyad::passes
