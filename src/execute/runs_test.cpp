// One program run again and again, by several threads, and on inputs that lie otherwise than planned.

#include <thread>

#include "base/parallel.h"
#include "compile/program_fixture.h"
#include "runtime/allocator.h"

namespace dyad::execute {
namespace {

using compile::compiled;
using compile::Journal;
using compile::Program;
using compile::run;
using compile::shown;
using compile::tensor;

TEST(Runs, RunsDoNotAddUp) {
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

TEST(Runs, TwoThreadsRunOneProgram) {
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

TEST(Runs, OtherLayoutsRunUnplanned) {
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

TEST(Runs, OtherLayoutsAreCopiedWhereNoUserCanTell) {
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

}  // namespace
}  // namespace dyad::execute
