#include "autograd/tape.h"

#include "autograd/tape_fixture.h"

namespace dyad::autograd {
namespace {

DYAD_USE(add, exp, mul, sum);

using Tape = TapeFixture;

TEST_F(Tape, AddsUpWhatArrives) {
  const Value x = as_input(tensor({1, 2, 3}));
  EXPECT_EQ(gradient(mul(x, x) + x, x), (Numbers{3, 5, 7}));
}

TEST_F(Tape, StandInsOfOneTensorAreKeptApart) {
  const Tensor x = tensor({1, 2});
  const Value a = as_input(x);
  const Value b = as_input(x);
  const Value product = mul(mul(a, a), b);
  EXPECT_EQ(gradient(product, a, true), (Numbers{2, 8}));
  EXPECT_EQ(gradient(product, b), (Numbers{1, 4}));
}

TEST_F(Tape, UnusedInputGetsZeros) {
  const Value x = as_input(tensor({1, 2}));
  const Value y = as_input(tensor({1, 2}));
  EXPECT_EQ(gradient(exp(x), y), (Numbers{0, 0}));
}

TEST_F(Tape, ConstantsAreNotRecorded) {
  const Tensor x = tensor({1, 2});
  EXPECT_FALSE(requires_grad(*mul(Value(x), Value(x))));
  const RecordingSwitch off(false);
  const Value input = as_input(x);
  EXPECT_FALSE(autograd_meta_of(*mul(input, input)));
}

TEST_F(Tape, KeepsOnlyWhatTheRuleReads) {
  Value x = as_input(tensor({1, 2}));
  Value y = mul(x, 2);
  const Ref<Storage> storage = as_tensor(y).storage;
  const Value total = add(y, y);  // the rule of an addition reads neither operand
  y = Value();
  EXPECT_EQ(storage->owners(), 1u);
  EXPECT_EQ(gradient(total, x), (Numbers{4, 4}));
}

TEST_F(Tape, FreesWhatItSavedOnTheWay) {
  const Value x = as_input(tensor({1, 2}));
  Value y = mul(x, 2);
  const Ref<Storage> storage = as_tensor(y).storage;
  const Value squared = mul(y, y);
  y = Value();
  EXPECT_GT(storage->owners(), 1u);
  EXPECT_EQ(gradient(squared, x), (Numbers{8, 16}));
  EXPECT_EQ(storage->owners(), 1u);
  EXPECT_EQ(message_of([&] { gradient(squared, x); }).substr(0, 34), "mul: what this step saved is freed");
}

TEST_F(Tape, InnerTransformIsRecorded) {
  const Value x = as_input(tensor({1, 2}));
  enter_transform();
  const uint64_t mark = next_sequence();
  const Value inner = as_input(Tensor(&as_tensor(x)));
  const Value cube = mul(mul(inner, inner), inner);
  const Value seed[] = {Value()};
  const Value slope = differentiate({&cube, 1}, seed, {&inner, 1}, mark, false).front();
  exit_transform();
  EXPECT_EQ(numbers(slope), (Numbers{3, 12}));
  EXPECT_EQ(gradient(slope, x), (Numbers{6, 12}));
}

TEST_F(Tape, WhatATransformRecordedIsClosedWithIt) {
  Value left;
  {
    const Value x = as_input(tensor({1, 2}));
    left = mul(x, x);
    EXPECT_TRUE(requires_grad(*left));
  }
  exit_transform();
  EXPECT_FALSE(requires_grad(*left));
  enter_transform();
  EXPECT_FALSE(requires_grad(*left));
}

TEST_F(Tape, KeptResultIsDifferentiatedLater) {
  const Value x = as_input(tensor({1, 2}));
  const Value y = mul(x, x);
  exit_transform();
  EXPECT_EQ(gradient(y, x, true), (Numbers{2, 4}));
  enter_transform();
  EXPECT_EQ(gradient(y, x), (Numbers{2, 4}));
}

TEST_F(Tape, RecordsOutsideOfTransformsWhileThereIsAReason) {
  exit_transform();
  const int before = eager::reasons_to_record;
  {
    const Tensor x = tensor({1, 2});
    track(*x);
    const Value y = mul(Value(x), 3);
    untrack(*x);
    EXPECT_EQ(eager::reasons_to_record, before + 1);  // y, which more may be made from
    track(*x);
    EXPECT_EQ(gradient(sum(y), Value(x)), (Numbers{3, 3}));
    untrack(*x);
  }
  EXPECT_EQ(eager::reasons_to_record, before);
  enter_transform();
}

TEST_F(Tape, DeepChainsFallOneByOne) {
  const Value x = as_input(tensor({1}));
  Value y = x;
  for (int i = 0; i < 200'000; ++i) y = add(y, 1);
  EXPECT_EQ(gradient(y, x, true), (Numbers{1}));
  y = Value();  // would overflow the stack if each node destroyed the one before
}

TEST_F(Tape, HooksReplaceInOrderAndCanBeRemoved) {
  struct Times final : Hook {
    explicit Times(double factor) : factor(factor) {}
    Value operator()(const Value& gradient) override { return mul(gradient, factor); }
    double factor;
  };
  const Value x = as_input(tensor({1, 2}));
  const Value y = mul(x, 3);
  const Ref<Hook> on_result(new Times(10));
  add_hook(as_tensor(y), on_result);
  add_hook(as_tensor(x), Ref<Hook>(new Times(2)));
  const Value total = sum(y);
  EXPECT_EQ(gradient(total, x, true), (Numbers{60, 60}));
  on_result->status->removed = true;
  EXPECT_EQ(gradient(total, x), (Numbers{6, 6}));
}

TEST_F(Tape, BackwardFillsTheGradientOfLeaves) {
  const Tensor x = tensor({1, 2});
  ask_gradient(*x, true);
  for (int i = 0; i < 2; ++i) backward(sum(mul(Value(x), Value(x))), Value(), false);
  EXPECT_EQ(numbers(autograd_meta_of(*x)->gradient), (Numbers{4, 8}));
  ask_gradient(*x, false);
  EXPECT_EQ(message_of([&] { backward(Value(x), Value(), false); }).substr(0, 47),
            "backward: the tensor does not depend on one tha");
}

TEST_F(Tape, SeedMustHaveTheShapeOfItsOutput) {
  const Value x = as_input(tensor({1, 2}));
  const Value y[] = {mul(x, x)};
  const Value seed[] = {Value(tensor({1, 2, 3}))};
  EXPECT_EQ(message_of([&] { differentiate(y, seed, {&x, 1}, mark_, false); }),
            "grad: the gradient given for an output has shape (3,); the output has shape (2,)");
}

}  // namespace
}  // namespace dyad::autograd
