#include "autograd/forward.h"

#include "autograd/tape_fixture.h"

namespace dyad::autograd {
namespace {

DYAD_USE(concat, exp, mul, reshape, softmax, sum);

class Forward : public TapeFixture {
 protected:
  Numbers tangent(const Value& output, const Value& input, const Value& direction) const {
    const RecordingSwitch off(false);
    return numbers(Pushforward({&input, 1}, {&direction, 1}, mark_)({&output, 1}).front());
  }
};

TEST_F(Forward, ElementwiseRulesServeAsTheyAre) {
  const Value x = as_input(tensor({2, 3}));
  EXPECT_EQ(tangent(mul(x, x) + x, x, tensor({1, 10})), (Numbers{5, 70}));
}

TEST_F(Forward, BroadcastOperandsAreNotSummed) {
  const Value x = as_input(tensor({2}));
  EXPECT_EQ(tangent(mul(x, Value(tensor({3, 4, 5}))), x, tensor({10})), (Numbers{30, 40, 50}));
}

TEST_F(Forward, LinearOperatorsApplyToTangents) {
  const Value x = as_input(tensor({2, 3}));
  const Value joined = concat(ValueList{x, Value(tensor({7})), x}, 0);
  EXPECT_EQ(tangent(joined, x, tensor({1, 10})), (Numbers{1, 10, 0, 1, 10}));
  EXPECT_EQ(tangent(reshape(x, Dims{2, 1}), x, tensor({1, 10})), (Numbers{1, 10}));
}

TEST_F(Forward, OtherRulesAreTransposed) {
  const Value x = as_input(tensor({0, 0}));
  EXPECT_EQ(tangent(softmax(x, 0), x, tensor({4, 0})), (Numbers{1, -1}));
}

TEST_F(Forward, WhatDoesNotVaryHasZeros) {
  const Value x = as_input(tensor({2, 3}));
  const Value y = as_input(tensor({5, 7}));
  EXPECT_EQ(tangent(exp(y), x, tensor({1, 1})), (Numbers{0, 0}));
  EXPECT_EQ(tangent(x, x, tensor({1, 10})), (Numbers{1, 10}));
}

TEST_F(Forward, TangentsOfTangentsAreHigherDerivatives) {
  const Value x = as_input(tensor({2}));
  const Value one = tensor({1});
  Pushforward derive({&x, 1}, {&one, 1}, mark_);
  Value value = mul(mul(x, x), x);
  for (float expected : {12.0F, 12.0F, 6.0F, 0.0F}) {
    value = derive({&value, 1}).front();
    EXPECT_EQ(numbers(value), Numbers{expected});
  }
}

TEST_F(Forward, AFreedStepIsAnError) {
  const Value x = as_input(tensor({2, 3}));
  const Value y = sum(mul(x, x));
  gradient(y, x);
  EXPECT_NE(message_of([&] { tangent(y, x, tensor({1, 1})); }).find("what this step saved is freed"),
            std::string::npos);
}

}  // namespace
}  // namespace dyad::autograd
