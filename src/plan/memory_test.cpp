// Where a program's tensors lie: writes, views, results that share memory, what is reused.

#include "compile/program_fixture.h"

namespace dyad::plan {
namespace {

using compile::compiled;
using compile::Journal;
using compile::Program;
using compile::run;
using compile::tensor;
using compile::vector;

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

}  // namespace
}  // namespace dyad::plan
