#include "transforms/batching.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "eager/dispatch.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "ops/call.h"

namespace dyad::transforms {
namespace {

DYAD_USE(add, assign, greater, matmul, mul, nonzero, sum);

class BatchingTest : public testing::Test {
 protected:
  BatchingTest() : tracer(new GraphTracer("main")) {
    eager::initialise();
    tracing::push(tracer);
  }
  ~BatchingTest() override { tracing::pop(*tracer); }

  Value input(const Shape& shape, std::string name) {
    return tracer->add_input(DType::kFloat32, shape, contiguous_strides(shape), std::move(name));
  }
  static Tensor item(const Value& value) { return Tensor(&as_tensor(value)); }
  /// What `body` gives for all slices of `whole`, as a graph; the function of one slice is not in it.
  std::vector<BatchedItem> batched(const Value& whole, const std::function<Value(const Value&)>& body) {
    TypeSpec spec;
    spec.shape = Shape(whole->shape.begin() + 1, whole->shape.end());
    const std::vector<Item> params = tracer->begin("slice", {&spec, 1});
    const Item result = item(body(std::get<Tensor>(params[0])));
    Scope* function = tracer->suspend();
    const Item given = item(whole);
    return vmap(*tracer, *function, {&result, 1}, {&given, 1}, whole->shape[0], true, {});
  }
  std::string finished(const BatchedItem& result) {
    tracer->finish({&result.item, 1});
    ir::verify(*tracer->module());
    return ir::print(*tracer->module());
  }

  Ref<GraphTracer> tracer;
};

TEST_F(BatchingTest, OperatorsTakeAllSlicesAtOnce) {
  const Value x = input({5, 3}, "x");
  const Value w = input({3, 2}, "w");
  const auto results = batched(x, [&](const Value& slice) { return sum(matmul(slice, w)); });
  EXPECT_TRUE(results[0].mapped);
  EXPECT_EQ(finished(results[0]), R"(func @main(%x: float32[5, 3], %w: float32[3, 2]) -> (%2) {
  %1: float32[5, 2] = matmul(%x, %w)
  %2: float32[5] = sum(%1, axis=[1], keepdims=false, dtype=none)
}
)");
}

TEST_F(BatchingTest, WhatNoSliceDiffersInStaysOne) {
  const Value x = input({5, 3}, "x");
  const Value w = input({3}, "w");
  const auto results = batched(x, [&](const Value&) { return mul(w, 2); });
  EXPECT_FALSE(results[0].mapped);
  EXPECT_EQ(item(std::get<Tensor>(results[0].item))->shape, (Shape{3}));
}

TEST_F(BatchingTest, SlicesOfABranchTakeTheirOwnPath) {
  const Value x = input({5, 3}, "x");
  const auto results = batched(x, [&](const Value& slice) -> Value {
    const Number condition = tracer->number_of(item(greater(sum(slice), 0)));
    Scope* arms[2];
    std::vector<Item> given[2];
    for (int i = 0; i < 2; ++i) {
      tracer->begin("arm", {});
      given[i] = {item(mul(slice, i + 2))};
      arms[i] = tracer->suspend();
    }
    return std::get<Tensor>(
        tracer->add_if(condition, *arms[0], given[0], *arms[1], given[1], std::nullopt)[0]);
  });
  EXPECT_TRUE(results[0].mapped);
  const std::string text = finished(results[0]);
  EXPECT_NE(text.find("where("), std::string::npos);
  EXPECT_EQ(text.find("if"), std::string::npos);
}

TEST_F(BatchingTest, ALoopGoesOnWhileAnySliceDoes) {
  const Value x = input({5, 3}, "x");
  const auto results = batched(x, [&](const Value& slice) -> Value {
    const TypeSpec spec = type_spec_of(item(slice));
    const Tensor tested = tensor_in(tracer->begin("test", {&spec, 1})[0]);
    const Item truth = tracer->number_of(item(greater(sum(Value(tested)), 1)));
    Scope* condition = tracer->suspend();
    const Tensor param = tensor_in(tracer->begin("body", {&spec, 1})[0]);
    const Item next[] = {item(mul(Value(param), 0.5))};
    Scope* body = tracer->suspend();
    const Item start[] = {item(slice)};
    return tensor_in(tracer->add_while(*condition, truth, *body, next, start)[0]);
  });
  EXPECT_TRUE(results[0].mapped);
  EXPECT_EQ(finished(results[0]), R"(func @main(%x: float32[5, 3]) -> (%1) {
  %1: float32[5, 3] = while @test_1 do @body_1(%x) with ()
}
func @test_1(%1: float32[5, 3]) -> (%5) {
  %2: float32[5] = sum(%1, axis=[1], keepdims=false, dtype=none)
  %3: bool_[5] = greater(%2, other=1)
  %4: bool_[] = any(%3, axis=none, keepdims=false)
  %5: number bool_ = number_of(%4)
}
func @body_1(%1: float32[5, 3]) -> (%6) {
  %2: float32[5, 3] = mul(%1, other=0.5)
  %3: float32[5] = sum(%1, axis=[1], keepdims=false, dtype=none)
  %4: bool_[5] = greater(%3, other=1)
  %5: bool_[5, 1] = reshape(%4, shape=[5, 1])
  %6: float32[5, 3] = where(%5, %2, %1)
}
)");
}

TEST_F(BatchingTest, ALoopThatCountsIsOneForAllSlices) {
  const Value x = input({5, 3}, "x");
  const auto results = batched(x, [&](const Value& slice) -> Value {
    TypeSpec specs[] = {{}, type_spec_of(item(slice))};
    specs[0].number = true;
    const std::vector<Item> tested = tracer->begin("test", specs);
    const Item truth = apply_number(*tracer, "lt", tested[0], Scalar(4));
    Scope* condition = tracer->suspend();
    const std::vector<Item> params = tracer->begin("body", specs);
    const Item next[] = {apply_number(*tracer, "add", params[0], Scalar(1)),
                         item(mul(Value(tensor_in(params[1])), 0.5))};
    Scope* body = tracer->suspend();
    const Item start[] = {Scalar(0), item(slice)};
    return tensor_in(tracer->add_while(*condition, truth, *body, next, start)[1]);
  });
  EXPECT_EQ(finished(results[0]), R"(func @main(%x: float32[5, 3]) -> (%3) {
  %1: number int64 = constant 0
  %2: number int64, %3: float32[5, 3] = while @test_1 do @body_1(%1, %x) with ()
}
func @test_1(%1: number int64, %2: float32[5, 3]) -> (%3) {
  %3: number bool_ = number_lt(%1, other=4)
}
func @body_1(%1: number int64, %2: float32[5, 3]) -> (%3, %4) {
  %3: number int64 = number_add(%1, other=1)
  %4: float32[5, 3] = mul(%2, other=0.5)
}
)");
}

TEST_F(BatchingTest, RefusesWhatSlicesWouldDoInTheirOwnWay) {
  const Value x = input({5, 3}, "x");
  const Value outside = input({3}, "outside");
  EXPECT_THROW(batched(x, [&](const Value& slice) { return assign(outside, slice); }), Error);
  EXPECT_THROW(batched(x, [&](const Value& slice) { return nonzero(slice); }), Error);
  EXPECT_TRUE(batched(x, [&](const Value& slice) { return add(slice, 1); })[0].mapped);
}

}  // namespace
}  // namespace dyad::transforms
