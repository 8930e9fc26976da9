#include <gtest/gtest.h>

#include "autograd/autograd_meta.h"
#include "autograd/engine.h"
#include "autograd/tape.h"
#include "autograd/transform.h"
#include "eager/dispatch.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "ops/call.h"
#include "transforms/joint.h"

namespace dyad::transforms {
namespace {

DYAD_USE(greater)
DYAD_USE(mul)
DYAD_USE(sin)
DYAD_USE(sum)

/// Graphs that write their own gradient: everything between the first line and `gradient` is differentiated.
class GradientTest : public testing::Test {
 protected:
  GradientTest() : tracer(new GraphTracer("main")) {
    eager::initialise();
    autograd::initialise();
    tracing::push(tracer);
    transform.emplace();
    const Shape shape{2};
    const Tensor given = tracer->add_input(DType::kFloat32, shape, contiguous_strides(shape), "x");
    x = autograd::as_input(given, tracer->stand_for(given));
  }
  ~GradientTest() override {
    transform.reset();
    tracing::pop(*tracer);
  }

  Tensor gradient(const Value& output) {
    const Value none;
    const Value input = x;
    return Tensor(&as_tensor(
        autograd::differentiate({&output, 1}, {&none, 1}, {&input, 1}, transform->mark, true).front()));
  }
  /// The text of the finished graph, which is a sound one.
  std::string finished(const std::vector<Item>& items) {
    tracer->finish(items);
    ir::verify(*tracer->module());
    return ir::print(*tracer->module());
  }
  static Tensor tensor(const Value& value) { return Tensor(&as_tensor(value)); }
  static TypeSpec spec(const Tensor& tensor) {
    TypeSpec made;
    made.dtype = tensor->dtype;
    made.shape = tensor->shape;
    return made;
  }

  Ref<GraphTracer> tracer;
  std::optional<autograd::Transform> transform;
  Tensor x;
};

TEST_F(GradientTest, TheForwardOfAnIfHandsOutWhatItsGradientNeeds) {
  const Tensor truth = tensor(greater(sum(Value(x)), 0));
  tracer->begin("yes", {});
  const Tensor yes = tensor(sin(mul(Value(x), Value(x))));
  Scope* first = tracer->suspend();
  tracer->begin("no", {});
  const Tensor no = tensor(mul(Value(x), 3));
  Scope* second = tracer->suspend();
  const Item yes_items[] = {yes};
  const Item no_items[] = {no};
  const auto results = tracer->add_if(truth, *first, yes_items, *second, no_items, std::nullopt);
  const std::string text = finished({gradient(Value(std::get<Tensor>(results[0])))});
  EXPECT_NE(text.find("then @yes_forward else @no_forward"), std::string::npos) << text;
  // x * x is needed by the gradient of sin; x itself is there already.
  EXPECT_NE(text.find("func @yes_forward(%1: float32[2]) -> (%3, %2)"), std::string::npos) << text;
  EXPECT_NE(text.find("cos("), std::string::npos) << text;
}

TEST_F(GradientTest, ALoopPutsAsideWhatItsGradientNeeds) {
  const TypeSpec specs[] = {spec(x)};
  const Item start[] = {x};
  const auto tested = tracer->begin("test", specs);
  const Item truth = tensor(greater(sum(Value(std::get<Tensor>(tested[0]))), 0));
  Scope* condition = tracer->suspend();
  const auto params = tracer->begin("body", specs);
  const Item next[] = {tensor(sin(Value(std::get<Tensor>(params[0]))))};
  Scope* body = tracer->suspend();
  const auto results = tracer->add_while(*condition, truth, *body, next, start);
  const std::string text = finished({gradient(Value(std::get<Tensor>(results[0])))});
  EXPECT_NE(text.find("residual_stack float32[2] = new_residual_stack(dtype=float32, shape=[2])"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("push("), std::string::npos) << text;
  EXPECT_NE(text.find("pop("), std::string::npos) << text;
  EXPECT_NE(text.find("while @loop_backward_condition do @loop_backward("), std::string::npos) << text;
}

TEST_F(GradientTest, WhatIsMarkedAsConstantHasNoGradient) {
  const Tensor truth = tensor(greater(sum(Value(x)), 0));
  Scope* arms[2];
  Item given[2];
  for (size_t i = 0; i < 2; ++i) {
    tracer->begin("arm", {});
    autograd::state().constant = true;
    const Value fixed = mul(Value(x), 5);
    autograd::state().constant = false;
    given[i] = tensor(mul(fixed, Value(x)));
    arms[i] = tracer->suspend();
  }
  const auto results = tracer->add_if(truth, *arms[0], {given, 1}, *arms[1], {given + 1, 1}, std::nullopt);
  const std::string text = finished({gradient(Value(std::get<Tensor>(results[0])))});
  const size_t backward = text.find("func @arm_backward");
  ASSERT_NE(backward, std::string::npos) << text;
  const std::string written = text.substr(backward, text.find('}', backward) - backward);
  EXPECT_EQ(written.find("add("), std::string::npos) << written;  // one product, not two
}

}  // namespace
}  // namespace dyad::transforms
