// Programs inside transforms: the tape sees the operators of a graph as it would see those of the dynamic
// graph.

#include "autograd/tape_fixture.h"
#include "compile/program_fixture.h"

namespace dyad::program {
namespace {

using compile::compiled;
using compile::Journal;

using autograd::as_input;
using autograd::Numbers;

class RecordedProgram : public autograd::TapeFixture {
 protected:
  static Value result(std::string_view text, std::vector<Arg> inputs) {
    Journal journal;
    std::vector<Arg> results;
    compiled(text)->run(inputs, results, journal);
    return *results.front().get<Value>();
  }
  static Value result(std::string_view text, const Value& input) {
    std::vector<Arg> inputs;
    inputs.emplace_back(input);
    return result(text, std::move(inputs));
  }
};

TEST_F(RecordedProgram, IsDifferentiated) {
  const Value x = as_input(tensor({1, 2, 3}));
  const Value y = result(R"(
func @main(%x: float32[3], %b: number bool_) -> (%2) {
  %1: float32[3] = mul(%x, %x)
  %2: float32[3] = if %b then @more else @same(%1)
}
func @more(%x: float32[3]) -> (%1) {
  %1: float32[3] = mul(%x, other=10)
}
func @same(%x: float32[3]) -> (%x) {
})",
                         {x, Scalar(true)});
  EXPECT_EQ(gradient(y, x), (Numbers{20, 40, 60}));
}

TEST_F(RecordedProgram, LoopsAreDifferentiatedAsTheyRan) {
  const Value x = as_input(tensor({1, 2}));
  const Value y = result(R"(
func @main(%x: float32[2], %n: number int64) -> (%r) {
  %zero: number int64 = constant 0
  %i: number int64, %r: float32[2] = while @more do @step(%zero, %x) with (%n, %x)
}
func @more(%i: number int64, %r: float32[2], %n: number int64, %x: float32[2]) -> (%1) {
  %1: number bool_ = number_lt(%i, %n)
}
func @step(%i: number int64, %r: float32[2], %n: number int64, %x: float32[2]) -> (%1, %2) {
  %1: number int64 = number_add(%i, other=1)
  %2: float32[2] = mul(%r, %x)
})",
                         {x, Scalar(2)});
  EXPECT_EQ(numbers(y), (Numbers{1, 8}));
  EXPECT_EQ(gradient(y, x), (Numbers{3, 12}));
}

TEST_F(RecordedProgram, WritesToComputedTensorsAreDifferentiated) {
  const Value x = as_input(tensor({1, 2}));
  const Value y = result(R"(
func @main(%x: float32[2]) -> (%4) {
  %1: float32[2] = mul(%x, other=3)
  %2: float32[2] = mul(%1, %x)
  %3: float32[2] = assign(%1, %2)
  %4: float32[2] = add(%3, %x)
})",
                         x);
  EXPECT_EQ(numbers(y), (Numbers{4, 14}));
  EXPECT_EQ(gradient(y, x), (Numbers{7, 13}));
}

TEST_F(RecordedProgram, ConstantsOfTheTapeAreNotRecorded) {
  const Value y = result("func @main(%x: float32[2]) -> (%1) {\n  %1: float32[2] = mul(%x, %x)\n}",
                         {Value(tensor({1, 2}))});
  EXPECT_FALSE(autograd::requires_grad(*y));
}

}  // namespace
}  // namespace dyad::program
