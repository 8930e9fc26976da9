// A recorded program as one step: what is on the tape, what is kept, and what the walk brings.

#include "autograd/tape_fixture.h"
#include "compile/program_fixture.h"

namespace dyad::program {
namespace {

using compile::compiled;
using compile::Journal;

using autograd::as_input;
using autograd::Numbers;

class OneStep : public autograd::TapeFixture {
 protected:
  std::vector<Value> run(const std::vector<Arg>& inputs) {
    std::vector<Arg> results;
    program_->run(inputs, results, journal_);
    std::vector<Value> values;
    for (const Arg& result : results) values.push_back(*result.get<Value>());
    return values;
  }
  /// The steps that lead to a value, itself included.
  static size_t steps_to(const Value& value) {
    size_t count = 0;
    for (autograd::Edge edge = autograd::edge_of(*value); edge; ++count) {
      if (edge.node->edges.empty()) break;
      edge = edge.node->edges.front();
    }
    return count;
  }

  Ref<Program> program_;
  Journal journal_;
};

constexpr const char* kChain = R"(
func @chain(%x: float32[2], %w: float32[2]) -> (%3) {
  %1: float32[2] = mul(%x, %w)
  %2: float32[2] = exp(%1)
  %3: float32[2] = mul(%2, %x)
})";

TEST_F(OneStep, IsWhatTheTapeSees) {
  program_ = compiled(kChain);
  const Value x = as_input(tensor({0, 1}));
  const Value y = run({x, Value(tensor({2, 3}))})[0];
  EXPECT_EQ(steps_to(y), 1U);
  const Numbers expected = {1, std::exp(3.F) * 4};
  EXPECT_EQ(gradient(y, x), expected);
  ASSERT_EQ(program_->derived_figures().size(), 1U);
  EXPECT_EQ(program_->derived_figures()[0].refusal, "");
  EXPECT_EQ(program_->derived_figures()[0].wanted, (std::vector<bool>{true, false}));
}

TEST_F(OneStep, CannotBeWalkedThroughTwice) {
  program_ = compiled(kChain);
  const Value x = as_input(tensor({0, 1}));
  const Value y = run({x, Value(tensor({2, 3}))})[0];
  const Numbers first = gradient(y, x, true);
  EXPECT_EQ(gradient(y, x), first);
  EXPECT_EQ(message_of([&] { gradient(y, x); }).substr(0, 37), "chain: what this step saved is freed,");
}

TEST_F(OneStep, KeepsWhatTheBackwardNeedsAndNothingElse) {
  program_ = compiled(R"(
func @keep(%x: float32[2]) -> (%3) {
  %1: float32[2] = mul(%x, other=2)
  %2: float32[2] = add(%1, other=1)
  %3: float32[2] = exp(%2)
})");
  const Value x = as_input(tensor({0, 1}));
  run({x});
  EXPECT_EQ(program_->derived_figures()[0].residuals, 1U);
  EXPECT_EQ(program_->derived_figures()[0].residual_bytes, 8);
}

TEST_F(OneStep, TellsThatASavedInputWasOverwritten) {
  program_ = compiled(kChain);
  const Value x = as_input(tensor({0, 1}));
  const Value w(tensor({2, 3}));
  const Value y = run({x, w})[0];
  static const OpName copy_into{"copy_into"};
  copy_into(w, 0);
  EXPECT_EQ(message_of([&] { gradient(y, x); }),
            "chain: its gradient needs input 1 ('w') of shape (2,) as it was, but an operation in place has "
            "overwritten it (version 1, saved at 0); write to a copy() instead");
}

TEST_F(OneStep, StateThatIsWrittenAfterwardsIsPutAside) {
  program_ = compiled(kChain);
  const Value x = as_input(tensor({0, 1}));
  const Value w(tensor({2, 3}));
  const Value y = run({x, w})[0];
  static const OpName assign{"assign"};
  assign(w, Value(tensor({7, 7})));
  EXPECT_EQ(gradient(y, x), (Numbers{1, std::exp(3.F) * 4}));
}

TEST_F(OneStep, WhatNoGradientArrivesForIsLeftOut) {
  program_ = compiled(R"(
func @two(%x: float32[2]) -> (%1, %2) {
  %1: float32[2] = mul(%x, other=3)
  %2: float32[2] = log(%x)
})");
  const Value x = as_input(tensor({0, 1}));
  EXPECT_EQ(gradient(run({x})[0], x), (Numbers{3, 3}));  // and not 0 times an infinity
}

TEST_F(OneStep, AResultThatIsAnInputStaysIt) {
  program_ = compiled(R"(
func @same(%x: float32[2]) -> (%x, %1) {
  %1: float32[2] = mul(%x, %x)
})");
  const Value x = as_input(tensor({1, 2}));
  const std::vector<Value> results = run({x});
  EXPECT_EQ(results[0], x);
  EXPECT_EQ(gradient(results[1], x), (Numbers{2, 4}));
}

TEST_F(OneStep, AWriteToAnArgumentGivesItANewSource) {
  program_ = compiled(R"(
func @write(state %a: float32[2], %x: float32[2]) -> (%3, state %a = %2) {
  %1: float32[2] = mul(%x, %x)
  %2: float32[2] = copy_into(%a, %1)
  %3: float32[2] = add(%2, %x)
})");
  const Value x = as_input(tensor({1, 2}));
  const Value a(tensor({5, 6}));
  const Value y = run({a, x})[0];
  EXPECT_EQ(numbers(a), (Numbers{1, 4}));
  EXPECT_TRUE(autograd::requires_grad(*a));
  EXPECT_EQ(gradient(a, x, true), (Numbers{2, 4}));
  EXPECT_EQ(gradient(y, x), (Numbers{3, 5}));
}

TEST_F(OneStep, TheBackwardIsRecordedInItsTurn) {
  program_ = compiled(R"(
func @cube(%x: float32[2]) -> (%2) {
  %1: float32[2] = mul(%x, %x)
  %2: float32[2] = mul(%1, %x)
})");
  autograd::enter_transform();
  const Value outer = as_input(tensor({1, 2}));
  const Value x = as_input(Tensor(&as_tensor(outer)));
  const uint64_t mark = autograd::next_sequence();
  const Value y = run({x})[0];
  const Value seed[] = {Value()};
  const Value first = autograd::differentiate({&y, 1}, seed, {&x, 1}, mark, false).front();
  autograd::exit_transform();
  EXPECT_EQ(numbers(first), (Numbers{3, 12}));
  EXPECT_EQ(gradient(first, outer), (Numbers{6, 12}));
}

TEST_F(OneStep, IsFreedWithItsResults) {
  program_ = compiled(kChain);
  const Value x = as_input(tensor({0, 1}));
  const int before = eager::reasons_to_record.load();
  const Ref<Storage> storage = as_tensor(x).storage;
  {
    const std::vector<Value> results = run({x, Value(tensor({2, 3}))});
    EXPECT_TRUE(storage->is_kept());
  }
  EXPECT_FALSE(storage->is_kept());
  EXPECT_EQ(eager::reasons_to_record.load(), before);
}

}  // namespace
}  // namespace dyad::program
