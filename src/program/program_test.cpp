#include "compile/program_fixture.h"

namespace dyad::program {
namespace {

using compile::compiled;
using compile::failure_of;
using compile::Journal;
using compile::run;
using compile::shown;
using compile::tensor;
using compile::vector;

TEST(Program, RunsOperatorsInOrder) {
  EXPECT_EQ(run(R"(
func @main(%x: float32[2], %y: float32[2]) -> (%2, %1) {
  %1: float32[2] = add(%x, %y)
  %2: float32[2] = mul(%1, other=3.0)
})",
                {vector({1, 2}), vector({10, 20})}),
            "[33, 66] [11, 22]");
}

TEST(Program, ComputesWithNumbers) {
  EXPECT_EQ(run(R"(
func @main(%k: number int64, %x: float32[2]) -> (%2, %4, %5) {
  %1: number int64 = number_mul(%k, other=3)
  %2: number float64 = number_truediv(%1, other=2)
  %3: float32[] = tensor_of(%2, dtype=float32)
  %4: float32[2] = mul(%x, %3)
  %s: float32[] = sum(%4, axis=none, keepdims=false, dtype=none)
  %5: number float64 = number_of(%s)
})",
                {Scalar(3), vector({2, 4})}),
            "4.5 [9, 18] 27.0");
}

TEST(Program, WritesItsOperandsInPlace) {
  EXPECT_EQ(run(R"(
func @main(%x: float32[2], %y: float32[2]) -> (%x2) {
  %1: float32[2] = add(%x, %y)
  %x1: float32[2] = assign(%x, %1)
  %2: float32[2] = mul(%x1, %x1)
  %x2: float32[2] = assign(%x1, %2)
})",
                {vector({1, 2}), vector({1, 1})}),
            "[4, 9]; [4, 9] [1, 1]");
}

constexpr std::string_view kFactorial = R"(
func @main(%n: number int64) -> (%1) {
  %1: number int64 = call @factorial(%n)
}
func @factorial(%n: number int64) -> (%2) {
  %1: number bool_ = number_le(%n, other=1)
  %2: number int64 = if %1 then @one else @recur(%n)
}
func @one(%n: number int64) -> (%1) {
  %1: number int64 = constant 1
}
func @recur(%n: number int64) -> (%3) {
  %1: number int64 = number_sub(%n, other=1)
  %2: number int64 = call @factorial(%1)
  %3: number int64 = number_mul(%n, %2)
})";

TEST(Program, FunctionsCallThemselves) { EXPECT_EQ(run(kFactorial, {Scalar(10)}), "3628800"); }

TEST(Program, TooDeepARecursionIsAnError) {
  try {
    run(kFactorial, {Scalar(1000000)});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kRecursion);
    EXPECT_EQ(error.message(), "maximum recursion depth exceeded");
  }
}

TEST(Program, LoopsAndArmsNest) {
  // While i < n: if i is even, x += i, else x *= 2.
  EXPECT_EQ(run(R"(
func @main(%x: float32[2], %n: number int64) -> (%r, %i) {
  %zero: number int64 = constant 0
  %i: number int64, %r: float32[2] = while @more do @step(%zero, %x) with (%n)
}
func @more(%i: number int64, %x: float32[2], %n: number int64) -> (%1) {
  %1: number bool_ = number_lt(%i, %n)
}
func @step(%i: number int64, %x: float32[2], %n: number int64) -> (%next, %y) {
  %1: number int64 = number_mod(%i, other=2)
  %2: number bool_ = number_eq(%1, other=0)
  %y: float32[2] = if %2 then @even else @odd(%x, %i)
  %next: number int64 = number_add(%i, other=1)
}
func @even(%x: float32[2], %i: number int64) -> (%2) {
  %1: float32[] = tensor_of(%i, dtype=float32)
  %2: float32[2] = add(%x, %1)
}
func @odd(%x: float32[2], %i: number int64) -> (%1) {
  %1: float32[2] = mul(%x, other=2)
})",
                {vector({1, 2}), Scalar(5)}),
            "[12, 16] 5");
}

TEST(Program, SymbolicDimsAreThoseOfTheRun) {
  const Ref<Program> program = compiled(R"(
func @main(%x: float32[n, 2]) -> (%2, %3) {
  %1: float32[(2 * n)] = reshape(%x, shape=[(n * 2)])
  %2: float32[(2 * n)] = add(%1, other=1)
  %3: number int64 = dim(size=[(1 + n)])
})");
  EXPECT_EQ(run(*program, {tensor({1, 2}, {1, 2})}), "[2, 3] 2");
  EXPECT_EQ(run(*program, {tensor({2, 2}, {1, 2, 3, 4})}), "[2, 3, 4, 5] 3");
}

TEST(Program, NumbersBecomeSizes) {
  EXPECT_EQ(run(R"(
func @main(%k: number int64, %x: float32[4]) -> (%1) {
  define_symbol(%k, name="k")
  %1: float32[k, c] = call @inner(%x)
}
func @inner(%x: float32[4]) -> (%1) {
  %1: float32[k, c] = reshape(%x, shape=[k, (4 // k)])
})",
                {Scalar(2), vector({1, 2, 3, 4})}),
            "[1, 2, 3, 4]");
}

TEST(Program, HostIsCalledInOrder) {
  Journal journal;
  const Ref<Program> program = compiled(R"(
func @main(%t: token, %x: float32[2]) -> (%2, %t2) {
  %t1: token = host "print" #0(%t, %x)
  %1: float32[2] = add(%x, other=1)
  %t2: token, %2: float32[2] = host "ask" #1(%t1, %1)
})");
  EXPECT_EQ(run(*program, {vector({1, 2})}, journal), "[2, 3]");
  EXPECT_EQ(journal.entries, (std::vector<std::string>{"print [1, 2]", "ask [2, 3]"}));
}

TEST(Program, AnExceptionLeavesWhatWasWritten) {
  const Value x = vector({1, 2});
  Journal journal;
  const Ref<Program> program = compiled(R"(
func @main(%x: float32[2], %t: token) -> (%x2) {
  %1: float32[2] = add(%x, other=1)
  %x1: float32[2] = assign(%x, %1)
  %t1: token = host "raise"(%t) at "net.py":7:4
  %2: float32[2] = add(%x1, other=1)
  %x2: float32[2] = assign(%x1, %2)
})");
  EXPECT_EQ(failure_of([&] { run(*program, {x}, journal); }), "raised by the host");
  EXPECT_EQ(journal.places, (std::vector<ir::Location>{{"net.py", 7, 4}}));
  EXPECT_EQ(shown(x), "[2, 3]");
}

TEST(Program, SizesOfEachCallAreItsOwn) {
  const Ref<Program> program = compiled(R"(
func @main(%x: float32[n], %y: float32[m]) -> (%1, %2, %3, %4) {
  %1: int64[a] = call @positive(%x)
  %2: int64[b] = call @positive(%y)
  %3: number int64 = dim(size=[a])
  %4: number int64 = dim(size=[(b + n)])
}
func @positive(%v: float32[k]) -> (%2) {
  %0: bool_[k] = greater(%v, other=0)
  %1: int64[s, 1] = nonzero(%0)
  %2: int64[s] = reshape(%1, shape=[s])
})");
  EXPECT_EQ(run(*program, {vector({1, -1}), vector({2, 3, -4, 5})}), "[0] [0, 1, 3] 1 5");
}

}  // namespace
}  // namespace dyad::program
