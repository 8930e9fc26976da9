// Where tensors lie that branches, loops and functions take and give.

#include "compile/program_fixture.h"

namespace dyad::plan {
namespace {

using compile::compiled;
using compile::run;
using compile::vector;

TEST(ControlFlowMemory, ArmsGiveTheirArgumentsOrSomethingNew) {
  constexpr std::string_view text = R"(
func @main(%b: number bool_, %x: float32[2]) -> (%y1, %x) {
  %y: float32[2] = if %b then @same else @more(%x)
  %y1: float32[2] = assign(%y, value=0.0)
}
func @same(%x: float32[2]) -> (%x) {
}
func @more(%x: float32[2]) -> (%1) {
  %1: float32[2] = add(%x, other=1)
})";
  EXPECT_EQ(run(text, {Scalar(true), vector({1, 2})}), "[0, 0] [1, 2]");
  EXPECT_EQ(run(text, {Scalar(false), vector({1, 2})}), "[0, 0] [1, 2]");
}

TEST(ControlFlowMemory, ArmsWriteTheirArguments) {
  constexpr std::string_view text = R"(
func @main(%b: number bool_, %x: float32[2]) -> (%z) {
  %x1: float32[2] = if %b then @write else @leave(%x)
  %2: float32[2] = add(%x1, %x1)
  %z: float32[2] = if %b then @leave else @write(%2)
}
func @write(%x: float32[2]) -> (%2) {
  %1: float32[2] = mul(%x, other=10)
  %2: float32[2] = assign(%x, %1)
}
func @leave(%x: float32[2]) -> (%x) {
})";
  EXPECT_EQ(run(text, {Scalar(true), vector({1, 2})}), "[20, 40]; True [10, 20]");
  EXPECT_EQ(run(text, {Scalar(false), vector({1, 2})}), "[20, 40]");
}

TEST(ControlFlowMemory, LoopsSwapTheirVariables) {
  EXPECT_EQ(run(R"(
func @main(%x: float32[2], %y: float32[2], %n: number int64) -> (%a, %b, %s) {
  %zero: number int64 = constant 0
  %i: number int64, %a: float32[2], %b: float32[2] = while @more do @swap(%zero, %x, %y) with (%n)
  %s: float32[2] = add(%a, %b)
}
func @more(%i: number int64, %a: float32[2], %b: float32[2], %n: number int64) -> (%1) {
  %1: number bool_ = number_lt(%i, %n)
}
func @swap(%i: number int64, %a: float32[2], %b: float32[2], %n: number int64) -> (%1, %b, %2) {
  %1: number int64 = number_add(%i, other=1)
  %2: float32[2] = add(%a, other=1)
})",
                {vector({1, 2}), vector({10, 20}), Scalar(3)}),
            "[11, 21] [3, 4] [14, 25]");
}

TEST(ControlFlowMemory, LoopsWriteInPlace) {
  constexpr std::string_view text = R"(
func @main(%x: float32[2], %y: float32[2], %n: number int64) -> (%x1, %y, %j) {
  %zero: number int64 = constant 0
  %j: number int64, %x1: float32[2] = while @more do @step(%zero, %x) with (%n, %y)
}
func @more(%i: number int64, %x: float32[2], %n: number int64, %y: float32[2]) -> (%1) {
  %1: number bool_ = number_lt(%i, %n)
}
func @step(%i: number int64, %x: float32[2], %n: number int64, %y: float32[2]) -> (%1, %x1) {
  %1: number int64 = number_add(%i, other=1)
  %2: float32[2] = add(%x, %y)
  %x1: float32[2] = assign(%x, %2)
})";
  EXPECT_EQ(run(text, {vector({1, 2}), vector({10, 20}), Scalar(4)}),
            "[41, 82] [10, 20] 4; [41, 82] [10, 20] 4");
  EXPECT_EQ(run(text, {vector({1, 2}), vector({10, 20}), Scalar(0)}), "[1, 2] [10, 20] 0");
}

TEST(ControlFlowMemory, ALoopThatReturnsWhatStaysDoesNotOverwriteIt) {
  // Each round: write to v, then let v be y itself.
  EXPECT_EQ(run(R"(
func @main(%x: float32[2], %y: float32[2], %n: number int64) -> (%v, %y) {
  %zero: number int64 = constant 0
  %j: number int64, %v: float32[2] = while @more do @step(%zero, %x) with (%n, %y)
}
func @more(%i: number int64, %v: float32[2], %n: number int64, %y: float32[2]) -> (%1) {
  %1: number bool_ = number_lt(%i, %n)
}
func @step(%i: number int64, %v: float32[2], %n: number int64, %y: float32[2]) -> (%1, %y) {
  %1: number int64 = number_add(%i, other=1)
  %v1: float32[2] = assign(%v, value=-1.0)
})",
                {vector({1, 2}), vector({10, 20}), Scalar(3)}),
            "[10, 20] [10, 20]; [-1, -1] [10, 20] 3");
}

TEST(ControlFlowMemory, CallsWithOneTensorTwice) {
  EXPECT_EQ(run(R"(
func @main(%x: float32[2], %n: number int64) -> (%1) {
  %1: float32[2] = call @f(%x, %x, %n)
}
func @f(%a: float32[2], %b: float32[2], %n: number int64) -> (%2) {
  %0: number bool_ = number_lt(%n, other=1)
  %a1: float32[2] = assign(%a, value=5.0)
  %1: float32[2] = add(%a1, %b)
  %2: float32[2] = if %0 then @stop else @again(%1, %a1, %n)
}
func @stop(%r: float32[2], %a: float32[2], %n: number int64) -> (%r) {
}
func @again(%r: float32[2], %a: float32[2], %n: number int64) -> (%2) {
  %1: number int64 = number_sub(%n, other=1)
  %2: float32[2] = call @f(%a, %r, %1)
})",
                {vector({1, 2}), Scalar(2)}),
            "[16, 17]; [5, 5] 2");
}

TEST(ControlFlowMemory, LoopsPutValuesAside) {
  // Every turn puts its variable, twice its variable and a constant aside; the second loop takes them out.
  constexpr std::string_view text = R"(
func @main(%x: float32[2], %n: number int64) -> (%y, %s) {
  %0: number int64 = constant 0
  %h: residual_stack float32[2] = new_residual_stack(dtype=float32, shape=[2])
  %i: number int64, %y: float32[2], %h1: residual_stack float32[2] = while @below do @turn(%0, %x, %h) with (%n)
  %z: float32[2] = full(shape=[2], value=0.0, dtype=float32)
  %j: number int64, %s: float32[2], %h2: residual_stack float32[2] = while @below_2 do @back(%0, %z, %h1) with (%n)
}
func @below(%i: number int64, %v: float32[2], %h: residual_stack float32[2], %n: number int64) -> (%1) {
  %1: number bool_ = number_lt(%i, %n)
}
func @turn(%i: number int64, %v: float32[2], %h: residual_stack float32[2], %n: number int64) -> (%1, %3, %h2) {
  %1: number int64 = number_add(%i, other=1)
  %2: float32[2] = add(%v, %v)
  %h1: residual_stack float32[2] = push(%h, %v)
  %h2: residual_stack float32[2] = push(%h1, %2)
  %3: float32[2] = add(%2, other=1)
}
func @below_2(%i: number int64, %v: float32[2], %h: residual_stack float32[2], %n: number int64) -> (%1) {
  %1: number bool_ = number_le(%i, %n)
}
func @back(%i: number int64, %v: float32[2], %h: residual_stack float32[2], %n: number int64) -> (%1, %4, %h2) {
  %1: number int64 = number_add(%i, other=1)
  %h1: residual_stack float32[2], %2: float32[2] = pop(%h)
  %h2: residual_stack float32[2], %3: float32[2] = pop(%h1)
  %5: float32[2] = mul(%v, other=10)
  %6: float32[2] = sub(%2, %3)
  %4: float32[2] = add(%5, %6)
})";
  EXPECT_EQ(run(text, {vector({1, 2}), Scalar(3)}), "[15, 23] [7310, 11520]");
  EXPECT_TRUE(compiled(text)->planned());
}

TEST(ControlFlowMemory, LoopsWithoutATurnGiveWhatTheyWereGiven) {
  constexpr std::string_view text = R"(
func @main(%x: float32[2], %n: number int64) -> (%3, %5) {
  %h: residual_stack float32[2] = new_residual_stack(dtype=float32, shape=[2])
  %1: number int64, %a: residual_stack float32[2], %b: residual_stack float32[2] = while @above do @turn(%n, %h, %h) with (%x)
  %2: residual_stack float32[2], %3: float32[2] = pop(%a)
  %4: residual_stack float32[2], %5: float32[2] = pop(%b)
}
func @above(%n: number int64, %a: residual_stack float32[2], %b: residual_stack float32[2], %x: float32[2]) -> (%1) {
  %1: number bool_ = number_gt(%n, other=0)
}
func @turn(%n: number int64, %a: residual_stack float32[2], %b: residual_stack float32[2], %x: float32[2]) -> (%1, %2, %4) {
  %1: number int64 = number_sub(%n, other=1)
  %2: residual_stack float32[2] = push(%a, %x)
  %3: float32[2] = neg(%x)
  %4: residual_stack float32[2] = push(%b, %3)
})";
  EXPECT_EQ(run(text, {vector({1, 2}), Scalar(0)}), "[0, 0] [0, 0]");
  EXPECT_EQ(run(text, {vector({1, 2}), Scalar(2)}), "[1, 2] [-1, -2]");
}

}  // namespace
}  // namespace dyad::plan
