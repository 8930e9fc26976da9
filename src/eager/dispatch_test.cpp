#include "eager/dispatch.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "ops/call.h"

namespace dyad::eager {
namespace {

DYAD_USE(add, neg);

class Dispatch : public testing::Test {
 protected:
  Dispatch() { initialise(); }

  static Tensor range(int64_t count) {
    Tensor tensor = empty(DType::kFloat32, {count});
    for (int64_t i = 0; i < count; ++i) tensor->as<float>()[i] = static_cast<float>(i);
    return tensor;
  }
  static std::vector<float> values(const Value& value) {
    std::vector<float> out;
    for (int64_t i = 0; i < value->size(); ++i) out.push_back(value->as<float>()[i * value->strides[0]]);
    return out;
  }
  template <class Action>
  static std::string message_of(const Action& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  }
  const Op& add_ = OpTable::instance().get("add");
};

using Values = std::vector<float>;

TEST_F(Dispatch, RunsAnOperator) {
  EXPECT_EQ(values(add(Value(range(3)), 1)), (Values{1, 2, 3}));
  EXPECT_EQ(values(neg(Value(range(3)))), (Values{0, -1, -2}));
}

TEST_F(Dispatch, ReadsViewsBackwards) {
  const Tensor base = range(4);
  const Tensor reversed = make_view(*base, DType::kFloat32, {4}, {-1}, 3);
  EXPECT_EQ(values(add(Value(base), Value(reversed))), (Values{3, 3, 3, 3}));
}

TEST_F(Dispatch, InPlaceWritesAndCounts) {
  const Tensor x = range(3);
  const uint32_t version = x->storage->version();
  const Arg args[] = {Value(x), 10};
  call_into(add_, args, x);
  EXPECT_EQ(values(x), (Values{10, 11, 12}));
  EXPECT_EQ(x->storage->version(), version + 1);
}

TEST_F(Dispatch, InPlaceOnItself) {
  const Tensor x = range(3);
  const Arg args[] = {Value(x), Value(x)};
  call_into(add_, args, x);
  EXPECT_EQ(values(x), (Values{0, 2, 4}));
}

TEST_F(Dispatch, InPlaceOverAnOverlappingWindowReadsOldValues) {
  if (!OpTable::instance().find("assign")) GTEST_SKIP() << "assign is not in the table";
  const Tensor base = range(6);
  const Tensor target = make_view(*base, DType::kFloat32, {5}, {1}, 1);
  const Tensor behind = make_view(*base, DType::kFloat32, {5}, {1}, 0);
  const Arg args[] = {Value(target), Value(behind)};
  call_into(add_, args, target);
  EXPECT_EQ(values(base), (Values{0, 1, 3, 5, 7, 9}));
}

TEST_F(Dispatch, InPlaceKeepsDtypeAndShape) {
  const Tensor x = range(3);
  const Arg wider[] = {Value(x), Value(empty(DType::kFloat64, {3}))};
  EXPECT_EQ(
      message_of([&] { call_into(add_, wider, x); }),
      "add_: the result has dtype Float64 but is written into a Float32 tensor; cast the operand first");
  const Arg larger[] = {Value(x), Value(empty(DType::kFloat32, {2, 3}))};
  EXPECT_EQ(message_of([&] { call_into(add_, larger, x); }),
            "add_: the result has shape (2, 3) but is written into a tensor of shape (3,); the operand must "
            "broadcast "
            "to it");
}

TEST_F(Dispatch, ReadOnlyMemoryIsNotWritten) {
  float outside[2] = {1, 2};
  const Tensor x = borrow(outside, sizeof outside, false, DType::kFloat32, {2}, {1}, [] {});
  const Arg args[] = {Value(x), 1};
  EXPECT_EQ(message_of([&] { call_into(add_, args, x); }),
            "add: the tensor shares the memory of a read-only array; write to a copy instead");
  EXPECT_EQ(outside[0], 1.0f);
}

TEST_F(Dispatch, ErrorLeavesTheHostLockAsItWas) {
  static int held;
  held = 1;
  set_host_lock({[]() -> void* { return --held, nullptr; }, [](void*) { ++held; }});
  const Tensor large = empty(DType::kFloat32, {1 << 18});
  neg(Value(large));
  EXPECT_EQ(held, 1);
  set_host_lock({});
}

TEST_F(Dispatch, EveryOperatorOfTheTableCanRun) {
  for (const Op* op : OpTable::instance().all()) EXPECT_TRUE(runnable(*op)) << op->name;
}

}  // namespace
}  // namespace dyad::eager
