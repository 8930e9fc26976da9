// One rule, two builders: what a gradient rule does in the dynamic graph it writes down as a graph.

#include <gtest/gtest.h>

#include "autograd/rule.h"
#include "eager/dispatch.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "ops/call.h"
#include "ops/graph_builder.h"
#include "tensor/tensor.h"

namespace dyad {
namespace {

using ir::GraphValue;

/// The graph of an operator's gradient: inputs and the gradient of the result go in, gradients come out.
std::unique_ptr<ir::Module> gradient_graph(const char* name, const std::vector<Shape>& shapes) {
  const Op& op = OpTable::instance().get(name);
  auto module = std::make_unique<ir::Module>();
  ir::Function& function = module->add_function(name);
  GraphBuilder builder(function);
  std::vector<Arg> args;
  for (const Shape& shape : shapes) {
    args.push_back(Value(&function.add_param(GraphValue::Kind::kTensor, DType::kFloat32, shape)));
  }
  while (args.size() < op.signature.params.size())
    args.push_back(op.signature.params[args.size()].default_value);
  ValueList results;
  builder.apply(op, args, results);
  const Value gradient(
      &function.add_param(GraphValue::Kind::kTensor, results[0]->dtype, results[0]->shape, "g"));
  for (const ArgumentGradient& found : run_gradient_rule(builder, op, args, results, {&gradient, 1})) {
    if (found.value) function.results.push_back(ir::GraphValueRef(&ir::as_graph_value(found.value)));
  }
  return module;
}

TEST(RuleAsGraph, IsTheRuleAsItIsWritten) {
  const auto module = gradient_graph("sigmoid", {{2, Dim::symbol("n")}});
  ir::verify(*module);
  EXPECT_EQ(ir::print(*module),
            "func @sigmoid(%1: float32[2, n], %g: float32[2, n]) -> (%3) {\n"
            "  %2: float32[2, n] = sigmoid(%1)\n"
            "  %3: float32[2, n] = sigmoid_grad(%g, %2)\n"
            "}\n");
}

TEST(RuleAsGraph, SumsBackWhatBroadcast) {
  const auto module = gradient_graph("mul", {{2, 3}, {3}});
  ir::verify(*module);
  EXPECT_EQ(ir::print(*module),
            "func @mul(%1: float32[2, 3], %2: float32[3], %g: float32[2, 3]) -> (%4, %6) {\n"
            "  %3: float32[2, 3] = mul(%1, %2)\n"
            "  %4: float32[2, 3] = mul(%g, %2)\n"
            "  %5: float32[2, 3] = mul(%g, %1)\n"
            "  %6: float32[3] = sum_to(%5, %2)\n"
            "}\n");
}

TEST(RuleAsGraph, ParsesBack) {
  const ir::ParserTools tools{
      [](std::string_view name) { return OpTable::instance().find(name); },
      [](DType dtype, const Shape& shape, const std::vector<Scalar>& elements) -> Value {
        Tensor made = empty(dtype, shape);
        for (size_t i = 0; i < elements.size(); ++i) {
          store(elements[i], dtype, made->as<char>() + static_cast<int64_t>(i) * itemsize(dtype));
        }
        return made;
      }};
  for (const auto& [name, tensors] :
       {std::pair{"matmul", 2}, {"atan2", 2}, {"sum", 1}, {"erf", 1}, {"tanh", 1}}) {
    const auto module = gradient_graph(name, std::vector<Shape>(static_cast<size_t>(tensors), Shape{4, 4}));
    ir::verify(*module);
    const auto again = ir::parse(ir::print(*module), tools);
    ir::verify(*again);
    EXPECT_EQ(ir::print(*again), ir::print(*module)) << name;
  }
}

TEST(RuleAsGraph, TensorsKnownNowAreConstants) {
  eager::initialise();
  static const OpName add{"add"};
  ir::Module module;
  ir::Function& function = module.add_function("f");
  GraphBuilder builder(function);
  const Value x(&function.add_param(GraphValue::Kind::kTensor, DType::kFloat32, {2}, "x"));
  const Tensor two = empty(DType::kFloat32, {2});
  two->as<float>()[0] = 2;
  two->as<float>()[1] = 0.5;
  const Value sum = add(add(x, Value(two)), Value(two));
  function.results.push_back(ir::GraphValueRef(&ir::as_graph_value(sum)));
  ir::verify(module);
  EXPECT_EQ(ir::print(function),
            "func @f(%x: float32[2]) -> (%3) {\n"
            "  %1: float32[2] = constant {2.0, 0.5}\n"
            "  %2: float32[2] = add(%x, %1)\n"
            "  %3: float32[2] = add(%2, %1)\n"
            "}\n");
}

}  // namespace
}  // namespace dyad
