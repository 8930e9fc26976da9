#include <algorithm>

#include "autograd/autograd_meta.h"
#include "autograd/forward.h"
#include "autograd/transform.h"
#include "ops/call.h"
#include "transforms/control_node.h"
#include "transforms/dependence.h"
#include "transforms/loop_state.h"
#include "transforms/replay.h"

namespace dyad::transforms {

using tracing::Derived;

namespace {

DYAD_USE(copy);

bool acts(const ir::Function& function, std::vector<const ir::Function*>& asked) {
  if (std::find(asked.begin(), asked.end(), &function) != asked.end()) return false;
  asked.push_back(&function);
  if (!function.updates.empty()) return true;
  for (const auto& param : function.params) {
    if (is_token(*param)) return true;
  }
  for (const auto& node : function.nodes) {
    auto* op = dynamic_cast<const Op*>(node->op);
    if (op && (op->random || op->state)) return true;
    for (const ir::Function* inner : node->functions) {
      if (acts(*inner, asked)) return true;
    }
  }
  return false;
}

}  // namespace

bool ControlNode::acts() const {
  std::vector<const ir::Function*> asked;
  return std::any_of(functions_.begin(), functions_.end(),
                     [&](const ir::Function* function) { return transforms::acts(*function, asked); });
}

std::vector<Value> ControlNode::by_operand(std::span<const Value> arrived) const {
  std::vector<Value> tangents(operands_.size());
  size_t next = 0;
  for (size_t i = 0; i < tangents.size(); ++i) {
    if (leads_[i]) tangents[i] = arrived[next++];
  }
  return tangents;
}

Item ControlNode::tangent_or_zeros(const Value& tangent, const ir::GraphValue& param,
                                   const Item& operand) const {
  if (tangent) return tensor_of(tangent);
  TypeSpec spec = type_spec_of(param);
  spec.shape = tensor_in(operand)->shape;
  return zeros_of(*tracer_, spec);
}

ControlNode::Moved ControlNode::moved(const ir::Function& function, std::vector<Item> args,
                                      std::span<const Value> tangents) const {
  const autograd::Transform transform;
  std::vector<Value> inputs;
  std::vector<Value> directions;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!tangents[i]) continue;
    const Tensor given = tensor_in(args[i]);
    const Tensor input = autograd::as_input(given, tracer_->snapshot(given));
    inputs.emplace_back(input);
    directions.push_back(tangents[i]);
    // What the function writes to is no leaf.
    args[i] = writes_to(function, i) ? tensor_of(copy(Value(input))) : input;
  }
  Moved found;
  found.results = Replay(*tracer_).run(function, args);
  std::vector<Value> outputs;
  std::vector<TypeSpec> specs;
  for (size_t i = 0; i < of_.size(); ++i) {
    if (!of_[i]) continue;
    outputs.emplace_back(tensor_in(found.results[i]));
    specs.push_back(type_spec_of(*function.results[i]));
    specs.back().shape = outputs.back()->shape;
  }
  const autograd::RecordingSwitch off(false);
  const std::vector<Value> moved =
      autograd::Pushforward(inputs, directions, transform.mark).tangents(outputs);
  for (size_t i = 0; i < moved.size(); ++i) {
    found.tangents.push_back(moved[i] ? Item(tensor_of(moved[i])) : zeros_of(*tracer_, specs[i]));
  }
  return found;
}

void IfNode::forward(autograd::Push& push) {
  if (acts()) return Node::forward(push);
  const std::vector<Item> all = operands(push.recorded);
  const std::vector<Item> params(all.begin() + 1, all.end());
  const std::vector<Value> tangents = by_operand(push.arrived);
  std::vector<Item> given[2];
  Scope* arms[2];
  for (size_t arm = 0; arm < 2; ++arm) {
    const ir::Function& function = *functions_[arm];
    FunctionScope opened(*tracer_, cat(function.name, "_tangent"), {});
    given[arm] = moved(function, params, std::span(tangents).subspan(1)).tangents;
    arms[arm] = opened.end();
  }
  const std::vector<Item> found =
      tracer_->add_if(all[0], *arms[0], given[0], *arms[1], given[1], std::nullopt);
  for (size_t i = 0; i < found.size(); ++i) push.leaving[i] = tensor_in(found[i]);
}

/// The loop once more, with a tangent beside each variable that moves: `LoopTangentState`.
void WhileNode::forward(autograd::Push& push) {
  if (acts()) return Node::forward(push);
  using State = LoopTangentState<Item>;
  const ir::Function& condition = *functions_[0];
  const ir::Function& body = *functions_[1];
  const std::vector<Item> all = operands(push.recorded);
  const std::vector<Value> tangents = by_operand(push.arrived);
  const auto constants = all.begin() + static_cast<std::ptrdiff_t>(of_.size());

  LoopTangentState<TypeSpec> types;
  State initial{{all.begin(), constants}, {}};
  for (size_t i = 0; i < of_.size(); ++i) {
    types.carried.push_back(type_spec_of(*body.params[i]));
    if (!of_[i]) continue;
    types.tangents.push_back(types.carried.back());
    initial.tangents.push_back(tangent_or_zeros(tangents[i], *body.params[i], all[i]));
  }
  const std::vector<TypeSpec> specs = flatten(types);
  const auto with_constants = [&](std::vector<Item> carried) {
    carried.insert(carried.end(), constants, all.end());
    return carried;
  };

  FunctionScope test(*tracer_, cat(condition.name, "_tangent"), specs);
  const State tested = unflatten(types, test.params());
  const Item truth = Replay(*tracer_).run(condition, with_constants(tested.carried)).front();
  Scope* asks = test.end();

  FunctionScope round(*tracer_, cat(body.name, "_tangent"), specs);
  const State state = unflatten(types, round.params());
  std::vector<Value> arrived = tangents;
  auto next = state.tangents.begin();
  for (size_t i = 0; i < of_.size(); ++i) arrived[i] = of_[i] ? Value(tensor_in(*next++)) : Value();
  const Moved given = moved(body, with_constants(state.carried), arrived);
  Scope* runs = round.end();
  const State found =
      unflatten(types, tracer_->add_while(*asks, truth, *runs, flatten(State{given.results, given.tangents}),
                                          flatten(initial)));
  for (size_t i = 0; i < found.tangents.size(); ++i) push.leaving[i] = tensor_in(found.tangents[i]);
}

Scope& CallNode::tangent() const {
  const ir::Function& callee = *functions_[0];
  if (Scope* known = tracer_->derived(Derived::kTangent, callee)) return *known;
  std::vector<TypeSpec> params;
  std::vector<TypeSpec> results;
  for (const auto& param : callee.params) params.push_back(type_spec_of(*param));
  const size_t own = params.size();
  for (size_t i = 0; i < own; ++i) {
    if (by_[i]) params.push_back(params[i]);
  }
  for (size_t i = 0; i < of_.size(); ++i) {
    if (of_[i]) results.push_back(type_spec_of(*callee.results[i]));
  }
  Scope* made = tracer_->declare(cat(callee.name, "_tangent"), std::move(params), std::move(results));
  tracer_->derived(Derived::kTangent, callee) = made;
  tracer_->derived(Derived::kCopy, *made->function) = made;
  DeclaredFunctionScope opened(*tracer_, *made);
  const std::vector<Item>& items = opened.params();
  std::vector<Value> tangents(own);
  size_t next = own;
  for (size_t i = 0; i < own; ++i) {
    if (by_[i]) tangents[i] = tensor_in(items[next++]);
  }
  const std::vector<Item> args(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(own));
  opened.close(moved(callee, args, tangents).tangents);
  return *made;
}

void CallNode::forward(autograd::Push& push) {
  if (acts()) return Node::forward(push);
  std::vector<Item> args = operands(push.recorded);
  const std::vector<Value> tangents = by_operand(push.arrived);
  for (size_t i = 0; i < tangents.size(); ++i) {
    if (by_[i]) args.push_back(tangent_or_zeros(tangents[i], *functions_[0]->params[i], args[i]));
  }
  const std::vector<Item> found = tracer_->add_call(tangent(), args);
  for (size_t i = 0; i < found.size(); ++i) push.leaving[i] = tensor_in(found[i]);
}

}  // namespace dyad::transforms
