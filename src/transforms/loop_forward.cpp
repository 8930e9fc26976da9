#include "transforms/loop_forward.h"

#include <algorithm>

#include "base/error.h"
#include "ops/number_operator.h"
#include "transforms/loop_state.h"

namespace dyad::transforms {

using ir::GraphValue;
using ir::GraphValueRef;
using Kind = GraphValue::Kind;

namespace {

using Place = ir::Function::Nodes::iterator;

Place place_of(ir::Node& node) {
  auto& nodes = node.function->nodes;
  return std::find_if(nodes.begin(), nodes.end(), [&](const auto& known) { return known.get() == &node; });
}

GraphValueRef insert_operator(ir::Function& function, Place place, const Operator& op,
                              std::vector<Arg> args) {
  const ResultSpec result = op.infer_results(args).front();
  ir::Node& node = function.insert_node(place, ir::NodeKind::kOperator);
  node.op = &op;
  node.args = std::move(args);
  return GraphValueRef(&node.add_result(ir::result_kind(op, 0), result.dtype, result.shape));
}

GraphValueRef append_operator(ir::Function& function, const Operator& op, std::vector<Arg> args) {
  return insert_operator(function, function.nodes.end(), op, std::move(args));
}

/// The loop while its forward is written.
class LoopForward {
 public:
  LoopForward(ir::Module& module, ir::Node& loop, const Joint& joint)
      : module_(module),
        loop_(loop),
        joint_(joint),
        stacked_(stacked_residuals(joint, loop.variables())),
        params_(parts_of_params()) {}
  LoopForward(const LoopForward&) = delete;
  LoopForward& operator=(const LoopForward&) = delete;

  void write() {
    const ir::Function& condition = *loop_.functions[0];
    const ir::Function& body = *loop_.functions[1];
    ir::Function& next = module_.add_function(cat(body.name, "_with_residuals"));
    ir::Function& test = module_.add_function(cat(condition.name, "_with_residuals"));
    write_condition(test);
    write_body(next);
    extend_loop();
    loop_.functions = {&test, &next};
  }

 private:
  using State = LoopForwardState<GraphValueRef>;

  /// Values of the program's body that tell the types of the parts; there are none for the rounds.
  State parts_of_params() const {
    const std::vector<GraphValueRef>& params = loop_.functions[1]->params;
    const auto middle = params.begin() + static_cast<std::ptrdiff_t>(loop_.variables());
    const ir::Function& forward = *joint_.forward;
    const std::vector<GraphValueRef> residuals = joint_.residuals_among(
        std::span(forward.params), std::span(forward.results).subspan(loop_.variables()));
    State parts{{params.begin(), middle}, {GraphValueRef()}, {}, {middle, params.end()}};
    for (size_t i = 0; i < residuals.size(); ++i) {
      if (stacked_[i]) parts.stacks.push_back(residuals[i]);
    }
    return parts;
  }

  State add_params(ir::Function& function) const {
    const auto add = [&](const std::vector<GraphValueRef>& part) {
      for (const auto& like : part) function.add_param(like->kind, like->dtype, like->shape, like->name);
    };
    add(params_.carried);
    function.add_param(Kind::kNumber, DType::kInt64, {}, "rounds");
    for (const auto& like : params_.stacks)
      function.add_param(Kind::kResidualStack, like->dtype, like->shape);
    add(params_.constants);
    return unflatten(params_, function.params);
  }

  /// What the program's own functions take of a state.
  static std::vector<GraphValueRef> operands(const State& state) {
    std::vector<GraphValueRef> values = state.carried;
    values.insert(values.end(), state.constants.begin(), state.constants.end());
    return values;
  }

  static const std::vector<GraphValueRef>& append_call(ir::Function& function, ir::Function& callee,
                                                       std::span<const GraphValueRef> args) {
    ir::Node& call = function.add_node(ir::NodeKind::kCall);
    call.functions = {&callee};
    for (const GraphValueRef& value : args) call.args.emplace_back(Value(value));
    for (const auto& result : callee.results) call.add_result(result->kind, result->dtype, result->shape);
    return call.results;
  }

  /// c(x, k)
  void write_condition(ir::Function& test) const {
    test.results = append_call(test, *loop_.functions[0], operands(add_params(test)));
  }

  /// x, r = f(x, k);  n = n + 1;  S = push(S, r)
  void write_body(ir::Function& body) const {
    const State state = add_params(body);
    const std::vector<GraphValueRef>& given = append_call(body, *joint_.forward, operands(state));
    const std::span<const GraphValueRef> further = std::span(given).subspan(loop_.variables());
    const std::vector<GraphValueRef> params = operands(state);
    const std::vector<GraphValueRef> residuals = joint_.residuals_among(std::span(params), further);

    State next;
    next.carried.assign(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(loop_.variables()));
    next.rounds = {
        append_operator(body, *find_number_operator("number_add"), args_of(Value(state.rounds[0]), 1))};
    for (size_t i = 0; i < residuals.size(); ++i) {
      if (stacked_[i]) next.stacks.push_back(push(body, state.stacks[next.stacks.size()], residuals[i]));
    }
    body.results = flatten(next);
  }

  /// Numbers are put aside as tensors.
  static GraphValueRef push(ir::Function& body, const GraphValueRef& stack, GraphValueRef value) {
    if (value->kind == Kind::kNumber) {
      value = append_operator(body, *find_intrinsic("tensor_of"), args_of(Value(value), value->dtype));
    }
    return append_operator(body, *find_intrinsic("push"), args_of(Value(stack), Value(value)));
  }

  /// n = 0 and empty stacks before the loop, what they have become among its results.
  void extend_loop() const {
    ir::Function& function = *loop_.function;
    const Place here = place_of(loop_);
    std::vector<Arg> initial;
    ir::Node& zero = function.insert_node(here, ir::NodeKind::kConstant);
    zero.args.emplace_back(0);
    initial.emplace_back(Value(&zero.add_result(Kind::kNumber, DType::kInt64, {})));
    for (const auto& like : params_.stacks) {
      initial.emplace_back(Value(insert_operator(function, here, *find_intrinsic("new_residual_stack"),
                                                 args_of(like->dtype, like->shape))));
    }
    loop_.args.insert(loop_.args.begin() + static_cast<std::ptrdiff_t>(loop_.variables()), initial.begin(),
                      initial.end());
    loop_.add_result(Kind::kNumber, DType::kInt64, {});
    for (const auto& like : params_.stacks) loop_.add_result(Kind::kResidualStack, like->dtype, like->shape);
  }

  ir::Module& module_;
  ir::Node& loop_;
  const Joint& joint_;
  const std::vector<bool> stacked_;
  const State params_;  ///< of the new condition and body; the rounds have no value here
};

}  // namespace

std::vector<bool> stacked_residuals(const Joint& body, size_t variables) {
  std::vector<bool> stacked;
  for (const int param : body.residuals) stacked.push_back(param < static_cast<int>(variables));
  return stacked;
}

void put_residuals_aside(ir::Module& module, ir::Node& loop, const Joint& body) {
  LoopForward(module, loop, body).write();
}

}  // namespace dyad::transforms
