#include "autograd/in_place.h"

#include "autograd/tape_fixture.h"

namespace dyad::autograd {
namespace {

DYAD_USE(assign, copy_into, mul, reshape, slice_view);

using InPlace = TapeFixture;

Value first_two(const Value& value) { return slice_view(value, Dims{0}, Dims{2}, Dims{1}); }

TEST_F(InPlace, WriteGivesTheTensorANewSource) {
  const Value x = as_input(tensor({1, 2, 3}));
  const Value y = mul(x, 2);
  copy_into(y, mul(x, x));
  EXPECT_EQ(gradient(y, x), (Numbers{2, 4, 6}));
}

TEST_F(InPlace, WriteThroughAViewReachesTheBase) {
  const Value x = as_input(tensor({1, 2, 3}));
  const Value y = mul(x, 2);
  copy_into(first_two(y), 9);
  EXPECT_EQ(numbers(y), (Numbers{9, 9, 6}));
  EXPECT_EQ(gradient(mul(y, y), x), (Numbers{0, 0, 24}));
}

TEST_F(InPlace, ConstantBaseFollowsItsViews) {
  const Value x = as_input(tensor({1, 2}));
  const Value base = tensor({0, 0, 5});
  const Value view = first_two(base);
  copy_into(view, mul(x, 3));
  EXPECT_EQ(gradient(mul(base, base), x, true), (Numbers{18, 36}));
  EXPECT_EQ(gradient(view, x), (Numbers{3, 3}));
}

TEST_F(InPlace, EarlierViewsSeeALaterWrite) {
  const Value x = as_input(tensor({1, 2, 3}));
  const Value y = mul(x, 2);
  const Value column = reshape(y, Shape{3, 1});
  copy_into(first_two(y), 0);
  EXPECT_EQ(gradient(column, x), (Numbers{0, 0, 2}));
}

TEST_F(InPlace, OverwrittenValueIsNamed) {
  const Value x = as_input(tensor({1, 2, 3}));
  const Value y = mul(x, 2);
  const Value z = mul(y, y);
  copy_into(y, 0);
  EXPECT_EQ(
      message_of([&] { gradient(z, x); }),
      "mul: its gradient needs input 0 ('input') of shape (3,) as it was, but an operation in place has "
      "overwritten it (version 1, saved at 0); write to a copy() instead");
}

TEST_F(InPlace, OwnOldValueIsPutAside) {
  const Value x = as_input(tensor({1, 2, 3}));
  const Value y = mul(x, 1);
  const Op& product = OpTable::instance().get("mul");
  const Arg args[] = {y, x};
  eager::call_into(product, args, y);
  EXPECT_EQ(gradient(y, x), (Numbers{2, 4, 6}));
}

TEST_F(InPlace, LeavesAreRefused) {
  const Value x = as_input(tensor({1, 2, 3}));
  EXPECT_EQ(message_of([&] { copy_into(x, 0); }).substr(0, 50),
            "copy_into: A leaf tensor that need grad is being u");
  EXPECT_EQ(message_of([&] { copy_into(first_two(x), 0); }).substr(0, 50),
            "copy_into: the tensor is a view of an input that a");
  const RecordingSwitch off(false);
  copy_into(x, 0);
  EXPECT_EQ(numbers(x), (Numbers{0, 0, 0}));
}

TEST_F(InPlace, StateIsWrittenWithoutAGradient) {
  const Tensor weight = tensor({5, 6});
  const Value x = as_input(tensor({1, 2}));
  const Value before = mul(x, Value(weight));
  assign(Value(weight), mul(x, 10));
  const Value after = mul(x, Value(weight));
  EXPECT_EQ(gradient(before + after, x), (Numbers{15, 26}));
}

}  // namespace
}  // namespace dyad::autograd
