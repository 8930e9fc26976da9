#include "passes/inline_calls.h"

#include "passes/pass_fixture.h"

namespace dyad::passes {
namespace {

std::string inlined(std::string_view text) { return after(text, inline_calls); }

TEST(InlineCalls, WritesOutCallsAndKnownArms) {
  EXPECT_EQ(inlined(R"(
func @main(%x: float32[2]) -> (%3) {
  %1: float32[2] = call @twice(%x) at "net.py":1:1
  %2: number bool_ = constant false
  %3: float32[2] = if %2 then @main else @twice(%1)
}
func @twice(%a: float32[2]) -> (%2) {
  %1: float32[2] = add(%a, %a)
  %2: float32[2] = call @same(%1)
}
func @same(%a: float32[2]) -> (%a) {
})"),
            R"(
func @main(%x: float32[2]) -> (%3) {
  %1: float32[2] = add(%x, %x) at "net.py":1:1
  %2: number bool_ = constant false
  %3: float32[2] = add(%1, %1)
}
func @twice(%a: float32[2]) -> (%1) {
  %1: float32[2] = add(%a, %a)
}
func @same(%a: float32[2]) -> (%a) {
}
)");
}

TEST(InlineCalls, LeavesRecursionAlone) {
  constexpr std::string_view text = R"(
func @main(%b: bool_[], %x: float32[2]) -> (%1) {
  %1: float32[2] = call @f(%b, %x)
}
func @f(%b: bool_[], %x: float32[2]) -> (%1) {
  %1: float32[2] = if %b then @g else @h(%b, %x)
}
func @g(%b: bool_[], %x: float32[2]) -> (%1) {
  %1: float32[2] = call @f(%b, %x)
}
func @h(%b: bool_[], %x: float32[2]) -> (%x) {
}
)";
  EXPECT_EQ(inlined(text), text);
}

TEST(InlineCalls, SizesOfTheCalleeBecomeThoseOfTheCall) {
  EXPECT_EQ(inlined(R"(
func @main(%x: float32[n], %y: float32[3]) -> (%1, %2) {
  %1: float32[(n * 2)] = call @twice(%x)
  %2: float32[6] = call @twice(%y)
}
func @twice(%v: float32[k]) -> (%1) {
  %1: float32[(k * 2)] = concat((%v, %v), axis=0)
})"),
            R"(
func @main(%x: float32[n], %y: float32[3]) -> (%1, %2) {
  %1: float32[(n * 2)] = concat((%x, %x), axis=0)
  %2: float32[6] = concat((%y, %y), axis=0)
}
func @twice(%v: float32[k]) -> (%1) {
  %1: float32[(k * 2)] = concat((%v, %v), axis=0)
}
)");
}

TEST(InlineCalls, AnArmIsChosenByATensorThatIsKnown) {
  EXPECT_EQ(operators_of(inlined(R"(
func @main(%x: float32[2], %b: bool_[]) -> (%1, %2) {
  %c: bool_[] = constant {true}
  %1: float32[2] = if %c then @yes else @no(%x)
  %2: float32[2] = if %b then @yes else @no(%x)
}
func @yes(%x: float32[2]) -> (%1) {
  %1: float32[2] = exp(%x)
}
func @no(%x: float32[2]) -> (%1) {
  %1: float32[2] = neg(%x)
})")),
            "constant exp if exp neg");
}

TEST(InlineCalls, ASymbolThatTheCalleeDefinesIsItsOwnAtEachCall) {
  const std::string text = inlined(R"(
func @main(%i: number int64, %j: number int64) -> (%1, %2) {
  %1: float32[a] = call @make(%i)
  %2: float32[b] = call @make(%j)
}
func @make(%n: number int64) -> (%1) {
  define_symbol(%n, name="k")
  %1: float32[k] = full(shape=[k], value=1, dtype=float32)
})");
  const std::string main = text.substr(0, text.find("func @make"));
  EXPECT_EQ(main.find("name=\"k\""), std::string::npos) << main;
  const size_t first = main.find("define_symbol(%i, name=");
  const size_t second = main.find("define_symbol(%j, name=");
  ASSERT_TRUE(first != std::string::npos && second != std::string::npos) << main;
  const auto symbol = [&](size_t at) {
    return main.substr(main.find('"', at), main.find(')', at) - main.find('"', at));
  };
  EXPECT_NE(symbol(first), symbol(second));
}

}  // namespace
}  // namespace dyad::passes
