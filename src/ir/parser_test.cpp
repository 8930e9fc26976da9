#include "ir/parser.h"

#include "ir/graph_fixture.h"
#include "ir/printer.h"

namespace dyad::ir {
namespace {

std::string parse_error(std::string_view text) {
  return message_of([&] { read(text); });
}

constexpr std::string_view kProgram =
    R"(func @main(%x: float32[2, n], state %w: float32[2, n], %k: number int64, %t: token) -> (%5, %t2, state %w = %4) {
  %1: float32[2, n] = mix(%x, (%w, none), scale=0.5, axes=[0, (n + 1), max(n, 3)], mode="a \"b\"") at "net.py":3:8
  %2: bool_[] = mix(%x, b=none, scale=1, axes=[], mode=none)
  %c: float32[2] = constant {1.0, -2.5}
  %3: number float64 = constant 1e-07
  %4: float32[2, n] = if %2 then @left else @right(%1, %w)
  %5: float32[2, n], %6: number int64 = while @more do @step(%4, %k) with (%w)
  %t2: token, %7: float32[] = host "print" #2(%t, %x)
}
func @left(%1: float32[2, n], %2: float32[2, n]) -> (%3) {
  %3: float32[2, n] = call @right(%2, %1)
}
func @right(%1: float32[2, n], %2: float32[2, n]) -> (%3) {
  %3: float32[2, n] = mix(%2, %1, scale=true, axes=floats[0.1, inf], mode=none)
}
func @more(%1: float32[2, n], %2: number int64, %3: float32[2, n]) -> (%4) {
  %4: bool_[] = mix(%1, b=none, scale=1, axes=[], mode=none)
}
func @step(%1: float32[2, n], %2: number int64, %3: float32[2, n]) -> (%4, %2) {
  %4: float32[2, n] = mix(%1, %3, scale=complex(1.0, -2.0), axes=float16, mode=-7)
}
)";

TEST(Parser, WhatIsPrintedParsesBackToTheSame) {
  const auto module = read(kProgram);
  EXPECT_EQ(print(*module), kProgram);
  EXPECT_EQ(print(*read(print(*module))), kProgram);
  EXPECT_EQ(module->main().nodes.front()->location, (Location{"net.py", 3, 8}));
}

TEST(Parser, SaysWhereAndWhat) {
  EXPECT_EQ(parse_error(""), "parse: line 1, column 1: expected 'func'; found ''");
  EXPECT_EQ(parse_error("func @f() -> () {\n  %1: float32[] = nix()\n}"),
            "parse: line 2, column 22: there is no operator 'nix'; found '()'");
  EXPECT_EQ(parse_error("func @f() -> () {\n  %1: float3[] = mix()\n}"),
            "parse: line 2, column 13: 'float3' is no dtype; found '[] = mix()'");
  EXPECT_EQ(parse_error("func @f(%x: float32[2]) -> (%y) {\n}"),
            "parse: line 1, column 31: %y is not defined before it is used; found ') {'");
  EXPECT_EQ(parse_error("func @f(%x: float32[2]) -> () {\n  %x: float32[2] = call @g(%x)\n}"),
            "parse: line 2, column 27: there is no function @g; found '(%x)'");
  EXPECT_EQ(parse_error("func @f() -> () {"), "parse: line 1, column 18: expected '}'; found ''");
}

TEST(Parser, LoopsAndConstantsSayHowManyTheyAre) {
  EXPECT_EQ(parse_error("func @f(%x: float32[2]) -> () {\n  %1: float32[2], %2: float32[2] = while @f do "
                        "@f(%x) with ()\n}"),
            "parse: line 2, column 55: the loop has 1 variables and 2 results; found 'with ()'");
  EXPECT_EQ(parse_error("func @f() -> () {\n  %1: float32[2] = constant {1.0}\n}"),
            "parse: line 3, column 1: a constant of shape (2,) has 2 elements, not 1; found '}'");
  EXPECT_EQ(parse_error("func @f() -> () {\n}\nfunc @f() -> () {\n}"),
            "parse: line 3, column 8: the function @f is defined twice; found '() -> () {'");
}

}  // namespace
}  // namespace dyad::ir
