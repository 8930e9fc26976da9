#include "transforms/control_node.h"

#include <gtest/gtest.h>

#include "autograd/autograd_meta.h"
#include "autograd/engine.h"
#include "autograd/forward.h"
#include "autograd/tape.h"
#include "autograd/transform.h"
#include "eager/dispatch.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "ops/call.h"

namespace dyad::transforms {
namespace {

DYAD_USE(greater, mul, sin, sum);

/// Graphs that write their own gradient: everything between the first line and `gradient` is differentiated.
class ControlNodeTest : public testing::Test {
 protected:
  ControlNodeTest() : tracer(new GraphTracer("main")) {
    eager::initialise();
    autograd::initialise();
    tracing::push(tracer);
    transform.emplace();
    const Shape shape{2};
    const Tensor given = tracer->add_input(DType::kFloat32, shape, contiguous_strides(shape), "x");
    x = autograd::as_input(given, tracer->stand_for(given));
  }
  ~ControlNodeTest() override {
    transform.reset();
    tracing::pop(*tracer);
  }

  Tensor gradient(const Value& output) {
    const Value none;
    const Value input = x;
    return tensor_of(
        autograd::differentiate({&output, 1}, {&none, 1}, {&input, 1}, transform->mark, true).front());
  }
  /// The text of the finished graph, which is a sound one.
  std::string finished(const std::vector<Item>& items) {
    tracer->finish(items);
    ir::verify(*tracer->module());
    return ir::print(*tracer->module());
  }
  Tensor tangent(const Value& output) {
    const Shape shape{2};
    const Tensor given = tracer->add_input(DType::kFloat32, shape, contiguous_strides(shape), "v");
    const Value input = x;
    const Value direction = given;
    const autograd::RecordingSwitch off(false);
    return tensor_of(
        autograd::Pushforward({&input, 1}, {&direction, 1}, transform->mark).tangents({&output, 1}).front());
  }
  /// `while sum(y) > 0: y = sin(y)`, from x on.
  Value loop() {
    const TypeSpec specs[] = {type_spec_of(x)};
    const Item start[] = {x};
    FunctionScope test(*tracer, "test", specs);
    const Item truth = tensor_of(greater(sum(Value(tensor_in(test.params()[0]))), 0));
    Scope* condition = test.end();
    FunctionScope turn(*tracer, "body", specs);
    const Item next[] = {tensor_of(sin(Value(tensor_in(turn.params()[0]))))};
    Scope* body = turn.end();
    return tensor_in(tracer->add_while(*condition, truth, *body, next, start)[0]);
  }

  Ref<GraphTracer> tracer;
  std::optional<autograd::Transform> transform;
  Tensor x;
};

TEST_F(ControlNodeTest, TheForwardOfAnIfHandsOutWhatItsGradientNeeds) {
  const Tensor truth = tensor_of(greater(sum(Value(x)), 0));
  tracer->begin("yes", {});
  const Tensor yes = tensor_of(sin(mul(Value(x), Value(x))));
  Scope* first = tracer->suspend();
  tracer->begin("no", {});
  const Tensor no = tensor_of(mul(Value(x), 3));
  Scope* second = tracer->suspend();
  const Item yes_items[] = {yes};
  const Item no_items[] = {no};
  const auto results = tracer->add_if(truth, *first, yes_items, *second, no_items, std::nullopt);
  const std::string text = finished({gradient(Value(tensor_in(results[0])))});
  EXPECT_NE(text.find("then @yes_forward else @no_forward"), std::string::npos) << text;
  // x * x is needed by the gradient of sin; x itself is there already.
  EXPECT_NE(text.find("func @yes_forward(%1: float32[2]) -> (%3, %2)"), std::string::npos) << text;
  EXPECT_NE(text.find("cos("), std::string::npos) << text;
}

TEST_F(ControlNodeTest, ALoopPutsAsideWhatItsGradientNeeds) {
  EXPECT_EQ(finished({gradient(loop())}), R"(func @main(%x: float32[2]) -> (%11) {
  %1: number int64 = constant 0
  %2: residual_stack float32[2] = new_residual_stack(dtype=float32, shape=[2])
  %3: float32[2], %4: number int64, %5: residual_stack float32[2] = while @test_with_residuals do @body_with_residuals(%x, %1, %2) with ()
  %6: float32[2] = constant {1.0, 1.0}
  %7: float32[2] = copy(%6)
  %8: number int64, %9: float32[2], %10: residual_stack float32[2] = while @loop_backward_condition do @loop_backward(%4, %7, %5) with ()
  %11: float32[2] = copy(%9)
}
func @test(%1: float32[2]) -> (%4) {
  %2: float32[] = sum(%1, axis=none, keepdims=false, dtype=none)
  %3: bool_[] = greater(%2, other=0)
  %4: number bool_ = number_of(%3)
}
func @body_forward(%1: float32[2]) -> (%2) {
  %2: float32[2] = sin(%1)
}
func @body_with_residuals(%1: float32[2], %rounds: number int64, %2: residual_stack float32[2]) -> (%3, %4, %5) {
  %3: float32[2] = call @body_forward(%1)
  %4: number int64 = number_add(%rounds, other=1)
  %5: residual_stack float32[2] = push(%2, %1)
}
func @test_with_residuals(%1: float32[2], %rounds: number int64, %2: residual_stack float32[2]) -> (%3) {
  %3: number bool_ = call @test(%1)
}
func @loop_backward_condition(%1: number int64, %2: float32[2], %3: residual_stack float32[2]) -> (%4) {
  %4: number bool_ = number_gt(%1, other=0)
}
func @loop_backward(%1: number int64, %2: float32[2], %3: residual_stack float32[2]) -> (%4, %8, %5) {
  %4: number int64 = number_sub(%1, other=1)
  %5: residual_stack float32[2], %6: float32[2] = pop(%3)
  %7: float32[2] = cos(%6)
  %8: float32[2] = mul(%2, %7)
}
)");
}

/// In forward mode the loop goes its own way, and nothing is put aside.
TEST_F(ControlNodeTest, ALoopCarriesTangentsBesideItsVariables) {
  EXPECT_EQ(finished({tangent(loop())}), R"(func @main(%x: float32[2], %v: float32[2]) -> (%3) {
  %1: float32[2] = while @test do @body(%x) with ()
  %2: float32[2], %3: float32[2] = while @test_tangent do @body_tangent(%x, %v) with ()
}
func @test(%1: float32[2]) -> (%4) {
  %2: float32[] = sum(%1, axis=none, keepdims=false, dtype=none)
  %3: bool_[] = greater(%2, other=0)
  %4: number bool_ = number_of(%3)
}
func @body(%1: float32[2]) -> (%2) {
  %2: float32[2] = sin(%1)
}
func @test_tangent(%1: float32[2], %2: float32[2]) -> (%5) {
  %3: float32[] = sum(%1, axis=none, keepdims=false, dtype=none)
  %4: bool_[] = greater(%3, other=0)
  %5: number bool_ = number_of(%4)
}
func @body_tangent(%1: float32[2], %2: float32[2]) -> (%3, %5) {
  %3: float32[2] = sin(%1)
  %4: float32[2] = cos(%1)
  %5: float32[2] = mul(%2, %4)
}
)");
}

TEST_F(ControlNodeTest, WhatIsMarkedAsConstantHasNoGradient) {
  const Tensor truth = tensor_of(greater(sum(Value(x)), 0));
  Scope* arms[2];
  Item given[2];
  for (size_t i = 0; i < 2; ++i) {
    tracer->begin("arm", {});
    autograd::state().constant = true;
    const Value fixed = mul(Value(x), 5);
    autograd::state().constant = false;
    given[i] = tensor_of(mul(fixed, Value(x)));
    arms[i] = tracer->suspend();
  }
  const auto results = tracer->add_if(truth, *arms[0], {given, 1}, *arms[1], {given + 1, 1}, std::nullopt);
  const std::string text = finished({gradient(Value(tensor_in(results[0])))});
  const size_t backward = text.find("func @arm_backward");
  ASSERT_NE(backward, std::string::npos) << text;
  const std::string written = text.substr(backward, text.find('}', backward) - backward);
  EXPECT_EQ(written.find("add("), std::string::npos) << written;  // one product, not two
}

}  // namespace
}  // namespace dyad::transforms
