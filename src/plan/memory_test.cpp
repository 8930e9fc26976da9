// Where a program's tensors lie: writes, views, results that share memory, what is reused.

#include <thread>

#include "base/parallel.h"
#include "compile/program_fixture.h"
#include "runtime/allocator.h"

namespace dyad::plan {
namespace {

using namespace compile;

TEST(ProgramMemory, ChainsOfWritesThroughViews) {
  // x[0] = 7; x[1] *= x[0]; y = x + x
  EXPECT_EQ(run(R"(
func @main(%x: float32[2, 2]) -> (%y) {
  %a: float32[1, 2] = slice_view(%x, starts=[0, 0], stops=[1, 2], steps=[1, 1])
  %a1: float32[1, 2] = assign(%a, value=7.0)
  %x1: float32[2, 2] = write_view(%x, %a1, %a)
  %b: float32[1, 2] = slice_view(%x1, starts=[1, 0], stops=[2, 2], steps=[1, 1])
  %c: float32[1, 2] = slice_view(%x1, starts=[0, 0], stops=[1, 2], steps=[1, 1])
  %m: float32[1, 2] = mul(%b, %c)
  %b1: float32[1, 2] = assign(%b, %m)
  %x2: float32[2, 2] = write_view(%x1, %b1, %b)
  %y: float32[2, 2] = add(%x2, %x2)
})",
                {tensor({2, 2}, {1, 2, 3, 4})}),
            "[14, 14, 42, 56]; [7, 7, 21, 28]");
}

TEST(ProgramMemory, OldVersionsStayWhatTheyWere) {
  EXPECT_EQ(run(R"(
func @main(%x: float32[2]) -> (%s, %old) {
  %old: float32[2] = neg(%x)
  %v: float32[2, 1] = reshape(%x, shape=[2, 1])
  %x1: float32[2] = assign(%x, value=9.0)
  %w: float32[2] = reshape(%v, shape=[2])
  %s: float32[2] = add(%w, %x1)
})",
                {vector({1, 2})}),
            "[10, 11] [-1, -2]; [9, 9]");
}

TEST(ProgramMemory, ResultsMayShareMemory) {
  const Ref<Program> program = compiled(R"(
func @main(%x: float32[4]) -> (%x, %1, %2, %3) {
  %1: float32[2, 2] = reshape(%x, shape=[2, 2])
  %2: float32[4] = add(%x, %x)
  %3: float32[2, 2] = reshape(%2, shape=[2, 2])
})");
  const Value x = vector({1, 2, 3, 4});
  std::vector<Arg> results;
  Journal journal;
  program->run(std::vector<Arg>{x}, results, journal);
  EXPECT_EQ(*results[0].get<Value>(), x);
  EXPECT_EQ((*results[1].get<Value>())->data, x->data);
  EXPECT_EQ((*results[2].get<Value>())->data, (*results[3].get<Value>())->data);
  // What one run gave is not touched by the next one.
  std::vector<Arg> again;
  program->run(std::vector<Arg>{x}, again, journal);
  EXPECT_NE((*results[2].get<Value>())->data, (*again[2].get<Value>())->data);
}

TEST(ProgramMemory, EqualResultsHaveMemoryOfTheirOwn) {
  const Ref<Program> program = compiled(R"(
func @main(%x: float32[2]) -> (%1, %2, %3) {
  %1: float32[2] = neg(%x)
  %2: float32[2] = neg(%x)
  %3: float32[2] = constant {1.0, 2.0}
})");
  std::vector<Arg> results;
  Journal journal;
  program->run(std::vector<Arg>{vector({1, 2})}, results, journal);
  EXPECT_NE((*results[0].get<Value>())->data, (*results[1].get<Value>())->data);
  (*results[2].get<Value>())->as<float>()[0] = 100;
  EXPECT_EQ(run(*program, {vector({1, 2})}), "[-1, -2] [-1, -2] [1, 2]");
}

TEST(ProgramMemory, ArmsGiveTheirArgumentsOrSomethingNew) {
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

TEST(ProgramMemory, ArmsWriteTheirArguments) {
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

TEST(ProgramMemory, LoopsSwapTheirVariables) {
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

TEST(ProgramMemory, LoopsWriteInPlace) {
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

TEST(ProgramMemory, ALoopThatReturnsWhatStaysDoesNotOverwriteIt) {
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

TEST(ProgramMemory, CallsWithOneTensorTwice) {
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

TEST(ProgramMemory, SmallPlansForLongChains) {
  std::string text = "func @main(%x: float32[1000]) -> (%r) {\n  %v0: float32[1000] = exp(%x)\n";
  for (int i = 0; i < 50; ++i) {
    text += cat("  %v", i + 1, ": float32[1000] = ", i % 2 ? "neg" : "tanh", "(%v", i, ")\n");
  }
  text += "  %r: float32[] = sum(%v50, axis=none, keepdims=false, dtype=none)\n}";
  const Ref<Program> program = compiled(text, true, nullptr, false);
  EXPECT_EQ(program->figures().unplanned_bytes, 51 * 4000);
  EXPECT_LE(program->figures().planned_bytes, 4096);
  EXPECT_EQ(program->figures().steps, 52u);
}

TEST(ProgramMemory, StateIsPartOfThePlan) {
  const char* text = R"(
func @main(%x: float32[2], state %p: float32[2], state %q: float32[2]) -> (%r, state %p = %p1, state %q = %3) {
  %1: float32[2] = neg(%x)
  %2: float32[2] = mul(%1, %x)
  %p1: float32[2] = assign(%p, %2)
  %3: float32[2] = add(%p1, %q)
  %r: float32[] = sum(%3, axis=none, keepdims=false, dtype=none)
})";
  EXPECT_EQ(run(text, {vector({1, 2}), vector({5, 5}), vector({7, 7})}), "9; [1, 2] [-1, -4] [6, 3]");
  EXPECT_GT(compiled(text)->figures().planned_bytes, 0);
}

TEST(ProgramMemory, WhatIsWrittenInPlaceAndAssignedHasItsOwnMemory) {
  EXPECT_EQ(run(R"(
func @main(%x: float32[2], state %p: float32[2]) -> (%r, state %p = %6) {
  %1: float32[2] = square(%p)
  %2: float32[2] = cumsum(%x, axis=0, exclusive=false, reverse=false, dtype=none)
  %3: float32[2] = copy(%2)
  %4: float32[2] = mul(%3, other=2)
  %5: float32[2] = copy_into(%2, %4)
  %6: float32[2] = assign(%p, %5)
  %r: float32[2] = add(%6, %1)
})",
                {vector({1, 2}), vector({3, 4})}),
            "[11, 22]; [1, 2] [2, 6]");
}

TEST(ProgramMemory, RunsDoNotAddUp) {
  const Ref<Program> program = compiled(R"(
func @main(%x: float32[100], %n: number int64) -> (%r) {
  %zero: number int64 = constant 0
  %j: number int64, %r: float32[100] = while @more do @step(%zero, %x) with (%n)
}
func @more(%i: number int64, %x: float32[100], %n: number int64) -> (%1) {
  %1: number bool_ = number_lt(%i, %n)
}
func @step(%i: number int64, %x: float32[100], %n: number int64) -> (%1, %3) {
  %1: number int64 = number_add(%i, other=1)
  %2: float32[100] = exp(%x)
  %3: float32[100] = sin(%2)
})");
  const Value x = empty(DType::kFloat32, {100});
  run(*program, {x, Scalar(2)});
  const int64_t before = host_memory::statistics().allocated;
  for (int i = 0; i < 100; ++i) run(*program, {x, Scalar(50)});
  EXPECT_EQ(host_memory::statistics().allocated, before);
}

TEST(ProgramMemory, TwoThreadsRunOneProgram) {
  const Ref<Program> program = compiled(R"(
func @main(%x: float32[64], %n: number int64) -> (%r, %j) {
  %zero: number int64 = constant 0
  %j: number int64, %r: float32[64] = while @more do @step(%zero, %x) with (%n)
}
func @more(%i: number int64, %x: float32[64], %n: number int64) -> (%1) {
  %1: number bool_ = number_lt(%i, %n)
}
func @step(%i: number int64, %x: float32[64], %n: number int64) -> (%1, %3) {
  %1: number int64 = number_add(%i, other=1)
  %2: float32[64] = add(%x, other=1)
  %3: float32[64] = mul(%2, other=1)
})");
  std::atomic<int> wrong{0};
  const auto work = [&](float start) {
    Journal journal;
    for (int i = 0; i < 300; ++i) {
      const Value x = empty(DType::kFloat32, {64});
      for (int64_t k = 0; k < 64; ++k) x->as<float>()[k] = start;
      std::vector<Arg> results;
      program->run(std::vector<Arg>{x, Scalar(10)}, results, journal);
      for (int64_t k = 0; k < 64; ++k) wrong += (*results[0].get<Value>())->as<float>()[k] != start + 10;
    }
  };
  std::thread other(work, 100.0f);
  work(1.0f);
  other.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ProgramMemory, OtherLayoutsRunUnplanned) {
  const Ref<Program> program = compiled(R"(
func @main(%x: float32[2, 2]) -> (%x1) {
  %1: float32[2, 2] = add(%x, other=1)
  %x1: float32[2, 2] = assign(%x, %1)
})");
  const Value whole = tensor({2, 2}, {1, 2, 3, 4});
  const Value turned = make_view(as_tensor(whole), DType::kFloat32, {2, 2}, {1, 2}, 0);
  EXPECT_EQ(run(*program, {turned}), "[2, 4, 3, 5]");
  EXPECT_EQ(shown(whole), "[2, 3, 4, 5]");
}

TEST(ProgramMemory, OtherLayoutsAreCopiedWhereNobodyCanTell) {
  const Ref<Program> program = compiled(R"(
func @main(%y: float32[2, 2], %n: number int64) -> (%3, %4) {
  %0: number int64 = constant 0
  %x: float32[2, 2] = mul(%y, other=2)
  %1: float32[2, 2] = permute(%x, axis=[1, 0])
  %2: number int64, %3: float32[2, 2] = while @below do @turn(%0, %1) with (%n, %1)
  %4: float32[2, 2] = neg(%y)
}
func @below(%i: number int64, %v: float32[2, 2], %n: number int64, %w: float32[2, 2]) -> (%1) {
  %1: number bool_ = number_lt(%i, %n)
}
func @turn(%i: number int64, %v: float32[2, 2], %n: number int64, %w: float32[2, 2]) -> (%1, %2) {
  %1: number int64 = number_add(%i, other=1)
  %2: float32[2, 2] = add(%v, %w)
})");
  const Value whole = tensor({2, 2}, {1, 2, 3, 4});
  const Value turned = make_view(as_tensor(whole), DType::kFloat32, {2, 2}, {1, 2}, 0);
  EXPECT_EQ(run(*program, {turned, Scalar(2)}), "[6, 12, 18, 24] [-1, -3, -2, -4]");
  EXPECT_EQ(run(*program, {turned, Scalar(0)}), "[2, 4, 6, 8] [-1, -3, -2, -4]");
}

TEST(ProgramMemory, LoopsPutValuesAside) {
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

TEST(ProgramMemory, LoopsWithoutATurnGiveWhatTheyWereGiven) {
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
