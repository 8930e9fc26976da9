#include "ir/verifier.h"

#include "ir/graph_fixture.h"

namespace dyad::ir {
namespace {

std::string fault_in(std::string_view text) {
  const auto module = read(text);
  return message_of([&] { verify(*module); });
}

constexpr std::string_view kSound = R"(
func @main(%x: float32[2], %b: bool_[], state %w: float32[2], %t: token) -> (%y, state %w = %y) {
  %1: float32[2] = mix(%x, %w, none, none, none)
  %y: float32[2] = if %b then @keep else @swap(%1, %x)
  %2: float32[2] = while @test do @keep(%y) with (%x)
  %u: token = host "print"(%t, %y)
}
func @keep(%a: float32[2], %b: float32[2]) -> (%a) {
}
func @swap(%a: float32[2], %b: float32[2]) -> (%b) {
}
func @test(%a: float32[2], %b: float32[2]) -> (%c) {
  %c0: bool_[] = call @yes()
  %c: bool_[] = if %c0 then @yes else @yes()
}
func @yes() -> (%r) {
  %r: bool_[] = call @yes()
}
)";

std::string sound(std::string_view from = {}, std::string_view to = {}) {
  std::string text(kSound);
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(Verifier, SoundModulePasses) { EXPECT_EQ(fault_in(sound()), "no error"); }

TEST(Verifier, FaultsAreFound) {
  const std::string start = "internal error: the graph @main is malformed: ";
  EXPECT_EQ(fault_in(sound("%1: float32[2] = mix", "%1: float32[3] = mix")),
            start + "mix gives a Float32 of shape (2,); the node says float32[3] (node 0)");
  EXPECT_EQ(fault_in(sound("mix(%x, %w, none, none, none)", "mix(%x, %w)")),
            start + "mix has 2 arguments; it takes 5 (node 0)");
  EXPECT_EQ(fault_in(sound("if %b then", "if %x then")),
            start + "the condition of an if is no bool without dimensions (node 1)");
  EXPECT_EQ(fault_in(sound("@swap(%1, %x)", "@swap(%1)")),
            start + "@keep takes 2 arguments and is given 1 (node 1)");
  EXPECT_EQ(fault_in(sound("while @test", "while @keep")),
            start + "@keep decides a while and gives no bool without dimensions (node 2)");
  EXPECT_EQ(fault_in(sound("(%t, %y)", "(%y, %t)")), start + "a host node takes no token (node 3)");
  EXPECT_EQ(fault_in(sound("  %u: token", "  %v: token = host \"print\"(%t)\n  %u: token")),
            start + "a token is used twice (node 4)");
  EXPECT_EQ(fault_in(sound("state %w = %y", "state %x = %y")),
            start + "an update is bound to what is no state");
}

TEST(Verifier, CallsAndWhatTheyCallAgree) {
  const std::string start = "internal error: the graph @main is malformed: ";
  EXPECT_EQ(fault_in(sound("%y: float32[2] = if", "%y: float32[2], %z: float32[2] = if")),
            start + "@keep gives 1 results; the node has 2 (node 1)");
  EXPECT_EQ(
      fault_in(
          sound("func @swap(%a: float32[2], %b: float32[2])", "func @swap(%a: float32[2], %b: float32[3])")),
      start + "argument 1 of @swap and its parameter differ in type: float32[2] and float32[3] (node 1)");
  EXPECT_EQ(fault_in("func @main(%x: float32[2]) -> (%1) {\n  %1: float32[2] = call @f(%x)\n}\n"
                     "func @f(state %a: float32[2]) -> (%a, state %a = %a) {\n}"),
            start + "@f updates state, which only the first function may (node 0)");
}

TEST(Verifier, AFunctionOfAnotherModuleIsNotCalled) {
  const auto module = read("func @main(%x: float32[2]) -> (%1) {\n  %1: float32[2] = call @main(%x)\n}");
  Module other;
  module->main().nodes.front()->functions = {&other.add_function("f")};
  EXPECT_EQ(message_of([&] { verify(*module); }),
            "internal error: the graph @main is malformed: a function of another module is called (node 0)");
}

TEST(Verifier, WhatWasConsumedIsGoneUnlessCopiesAreStillToCome) {
  const auto module = read(R"(
func @main(%x: float32[2]) -> (%1, %x) {
  %1: float32[2] = overwrite(%x)
})");
  EXPECT_EQ(message_of([&] { verify(*module); }),
            "internal error: the graph @main is malformed: a value is used after it was consumed");
  verify(*module, OldVersions::kUsed);
}

TEST(Verifier, ValuesKnowWhereTheyAreMade) {
  const auto module = read(sound());
  module->main().nodes.front()->results[0]->index = 3;
  EXPECT_EQ(message_of([&] { verify(*module); }),
            "internal error: the graph @main is malformed: a value does not know where it is made (node 0)");
}

}  // namespace
}  // namespace dyad::ir
