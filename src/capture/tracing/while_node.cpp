#include <algorithm>

#include "base/error.h"
#include "capture/tracing/control_node.h"
#include "ops/call.h"
#include "ops/number_operator.h"

namespace dyad::tracing {

using ir::GraphValue;
using ir::GraphValueRef;
using Kind = GraphValue::Kind;

namespace {

DYAD_USE(add)

Tensor tensor_in(const Item& item) { return std::get<Tensor>(item); }

ir::Function::Nodes::iterator place_of(ir::Node& node) {
  auto& nodes = node.function->nodes;
  return std::find_if(nodes.begin(), nodes.end(), [&](const auto& known) { return known.get() == &node; });
}

GraphValueRef copied_param(ir::Function& function, const GraphValue& spec) {
  return GraphValueRef(&function.add_param(spec.kind, spec.dtype, spec.shape, spec.name));
}

}  // namespace

/// The body puts aside what its gradient needs, and the rounds are counted.
void WhileNode::split() {
  const ir::Function& condition = *node_.functions[0];
  const ir::Function& body = *node_.functions[1];
  const size_t variables = node_.results.size();
  joint_ = JointWriter(*tracer_, body, by_, of_, state_).write();
  ir::Module& module = *tracer_->module_;
  ir::Function& round = module.add_function(cat(body.name, "_putting_aside"));
  ir::Function& test = module.add_function(cat(condition.name, "_putting_aside"));

  std::vector<const GraphValue*> aside;  // values of the forward, in its own terms
  {
    size_t next = variables;
    for (const int param : joint_.residuals) {
      const bool differs = param < static_cast<int>(variables);
      put_aside_.push_back(differs);
      const GraphValue* value = param >= 0 ? joint_.forward->params[static_cast<size_t>(param)].get()
                                           : joint_.forward->results[next++].get();
      if (differs) aside.push_back(value);
    }
  }
  const auto put = [](const GraphValue& value) {  // numbers are put aside as tensors
    return std::pair(value.dtype, value.shape);
  };
  // Parameters of both: the variables, the count, the residual stacks, what does not change.
  for (ir::Function* function : {&round, &test}) {
    for (size_t i = 0; i < variables; ++i) copied_param(*function, *body.params[i]);
    function->add_param(Kind::kNumber, DType::kInt64, {}, "rounds");
    for (const GraphValue* value : aside) {
      const auto [dtype, shape] = put(*value);
      function->add_param(Kind::kResidualStack, dtype, shape);
    }
    for (size_t i = variables; i < body.params.size(); ++i) copied_param(*function, *body.params[i]);
  }
  const size_t added = 1 + aside.size();
  const auto outer_args = [&](const ir::Function& function) {
    std::vector<Arg> args;
    for (size_t i = 0; i < function.params.size(); ++i) {
      if (i < variables || i >= variables + added) args.emplace_back(Value(function.params[i]));
    }
    return args;
  };

  ir::Node& asks = test.add_node(ir::NodeKind::kCall);
  asks.functions = {node_.functions[0]};
  asks.args = outer_args(test);
  const GraphValue& truth = *condition.results[0];
  test.results = {GraphValueRef(&asks.add_result(truth.kind, truth.dtype, truth.shape))};

  ir::Node& runs = round.add_node(ir::NodeKind::kCall);
  runs.functions = {joint_.forward};
  runs.args = outer_args(round);
  for (const auto& result : joint_.forward->results)
    runs.add_result(result->kind, result->dtype, result->shape);
  round.results.assign(runs.results.begin(), runs.results.begin() + static_cast<std::ptrdiff_t>(variables));
  ir::Node& counts = round.add_node(ir::NodeKind::kOperator);
  counts.op = find_number_operator("number_add");
  counts.args.emplace_back(Value(round.params[variables]));
  counts.args.emplace_back(1);
  round.results.emplace_back(&counts.add_result(Kind::kNumber, DType::kInt64, {}));
  size_t next = variables;
  size_t slot = variables + 1;
  for (size_t i = 0; i < joint_.residuals.size(); ++i) {
    const int param = joint_.residuals[i];
    GraphValueRef value = param >= 0
                              ? (put_aside_[i] ? round.params[static_cast<size_t>(param)] : GraphValueRef())
                              : runs.results[next++];
    if (!put_aside_[i]) continue;
    if (value->kind == Kind::kNumber) {
      ir::Node& converts = round.add_node(ir::NodeKind::kOperator);
      converts.op = find_intrinsic("tensor_of");
      converts.args.emplace_back(Value(value));
      converts.args.emplace_back(value->dtype);
      value = GraphValueRef(&converts.add_result(Kind::kTensor, value->dtype, {}));
    }
    ir::Node& pushes = round.add_node(ir::NodeKind::kOperator);
    pushes.op = find_intrinsic("push");
    pushes.args.emplace_back(Value(round.params[slot]));
    pushes.args.emplace_back(Value(value));
    round.results.emplace_back(&pushes.add_result(Kind::kResidualStack, value->dtype, value->shape));
    ++slot;
  }

  // The node itself.
  ir::Function& outer = *node_.function;
  const auto here = place_of(node_);
  std::vector<Arg> initial;
  ir::Node& zero = outer.insert_node(here, ir::NodeKind::kConstant);
  zero.args.emplace_back(0);
  initial.emplace_back(Value(GraphValueRef(&zero.add_result(Kind::kNumber, DType::kInt64, {}))));
  for (const GraphValue* value : aside) {
    const auto [dtype, shape] = put(*value);
    ir::Node& begins = outer.insert_node(here, ir::NodeKind::kOperator);
    begins.op = find_intrinsic("new_residual_stack");
    begins.args.emplace_back(dtype);
    begins.args.emplace_back(shape);
    initial.emplace_back(Value(GraphValueRef(&begins.add_result(Kind::kResidualStack, dtype, shape))));
  }
  node_.args.insert(node_.args.begin() + static_cast<std::ptrdiff_t>(variables), initial.begin(),
                    initial.end());
  node_.functions = {&test, &round};
  rounds_ = tracer_->item_result(home_, node_.add_result(Kind::kNumber, DType::kInt64, {}));
  for (const GraphValue* value : aside) {
    const auto [dtype, shape] = put(*value);
    further_.push_back(tracer_->item_result(home_, node_.add_result(Kind::kResidualStack, dtype, shape)));
  }
}

void WhileNode::backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) {
  if (!joint_.forward) {
    for (const auto& param : node_.functions[1]->params) {
      if (all_known(param->shape)) continue;
      capture_error(
          "graph: the gradient of a loop whose variables change their size is not captured; the one of "
          "shape ",
          param->shape, " must keep it");
    }
    split();
  }
  const std::vector<Item> all = operands(recorded);
  GraphTracer& tracer = *tracer_;
  const std::vector<Item> seeds = arrived(gradients);
  const size_t variables = of_.size();

  // What goes round: the count, the gradients of the variables, the sums for what does not change or is read
  // as a leaf in every round, residual stacks.
  std::vector<Item> initial{rounds_};
  std::vector<TypeSpec> specs(1);
  specs[0].number = true;
  std::vector<size_t> place(by_.size(), 0);  // of each parameter's gradient among what goes round
  for (size_t i = 0; i < variables; ++i) {
    if (!of_[i]) continue;
    place[i] = specs.size();
    initial.push_back(seeds[specs.size() - 1]);
    specs.push_back(type_spec_of(*joint_.forward->params[i]));
  }
  for (size_t i = 0; i < by_.size(); ++i) {
    if (!by_[i] || place[i] != 0) continue;
    place[i] = specs.size();
    specs.push_back(type_spec_of(*joint_.forward->params[i]));
    initial.push_back(nothing(tracer, specs.back()));
  }
  const size_t sums = specs.size();
  for (const Item& stack : further_) {
    const Tensor& tensor = std::get<Tensor>(stack);
    TypeSpec spec;
    spec.residual_stack = true;
    spec.dtype = tensor->dtype;
    spec.shape = tensor->shape;
    specs.push_back(spec);
    initial.push_back(stack);
  }

  FunctionScope test(tracer, "loop_backward_condition", specs);
  const Item more[] = {test.params()[0], Scalar(0)};
  const Item truth = tracer.apply("gt", more);
  Scope* condition = test.end();

  FunctionScope round(tracer, "loop_backward", specs);
  const std::vector<Item>& params = round.params();
  const Item less[] = {params[0], Scalar(1)};
  std::vector<Item> given{tracer.apply("sub", less)};
  std::vector<Item> below;
  std::vector<Item> args;
  size_t slot = sums;
  for (size_t i = 0; i < joint_.residuals.size(); ++i) {
    const int param = joint_.residuals[i];
    if (!put_aside_[i]) {
      args.push_back(all[static_cast<size_t>(param)]);
      continue;
    }
    const Kind kind = joint_.backward->params[i]->kind;
    const auto [rest, top] = tracer.pop(tensor_in(params[slot++]), kind == Kind::kResidualStack);
    below.emplace_back(rest);
    const bool number = kind == Kind::kNumber;
    args.push_back(number ? Item(tracer.number_of(top)) : Item(top));
  }
  for (size_t i = 1; i <= seeds.size(); ++i) args.push_back(params[i]);
  const std::vector<Item> found = Replay(tracer).run(*joint_.backward, args);
  given.resize(sums, given[0]);
  size_t taken = 0;
  for (size_t i = 0; i < by_.size(); ++i) {
    if (!by_[i]) continue;
    const Item& gradient = found[taken++];
    if (place[i] <= seeds.size()) {
      given[place[i]] = gradient;
    } else {
      const Value sum = add(Value(tensor_in(params[place[i]])), Value(tensor_in(gradient)));
      given[place[i]] = Tensor(&as_tensor(sum));
    }
  }
  given.insert(given.end(), below.begin(), below.end());
  Scope* body = round.end();
  const std::vector<Item> results = tracer.add_while(*condition, truth, *body, given, initial);

  std::vector<Item> ordered;
  for (size_t i = 0; i < by_.size(); ++i) {
    if (by_[i]) ordered.push_back(results[place[i]]);
  }
  give(ordered, inputs);
}

}  // namespace dyad::tracing
