#include <algorithm>

#include "autograd/autograd_meta.h"
#include "autograd/forward.h"
#include "base/error.h"
#include "capture/tracing/control_node.h"
#include "ops/call.h"

namespace dyad::tracing {

using ir::GraphValue;
using Kind = GraphValue::Kind;

namespace {

DYAD_USE(copy)

Tensor tensor_in(const Item& item) { return std::get<Tensor>(item); }

bool acts(const ir::Function& function, std::vector<const ir::Function*>& asked) {
  if (std::find(asked.begin(), asked.end(), &function) != asked.end()) return false;
  asked.push_back(&function);
  if (!function.updates.empty()) return true;
  for (const auto& param : function.params) {
    if (param->kind == Kind::kToken) return true;
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
                     [&](const ir::Function* function) { return tracing::acts(*function, asked); });
}

std::vector<Value> ControlNode::by_operand(std::span<const Value> arrived) const {
  std::vector<Value> tangents(operands_.size());
  size_t next = 0;
  for (size_t i = 0; i < tangents.size(); ++i) {
    if (leads_[i]) tangents[i] = arrived[next++];
  }
  return tangents;
}

ControlNode::Moved ControlNode::moved(const ir::Function& function, std::vector<Item> args,
                                      std::span<const Value> tangents) const {
  const Transform transform;
  std::vector<Value> inputs;
  std::vector<Value> directions;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!tangents[i]) continue;
    const Tensor given = tensor_in(args[i]);
    const Tensor input = autograd::as_input(given, tracer_->snapshot(given));
    inputs.emplace_back(input);
    directions.push_back(tangents[i]);
    // What the function writes to is no leaf.
    args[i] = writes_to(function, i) ? Tensor(&as_tensor(copy(Value(input)))) : input;
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
    found.tangents.push_back(moved[i] ? Item(Tensor(&as_tensor(moved[i]))) : nothing(*tracer_, specs[i]));
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

/// The loop once more, with a tangent beside each variable that moves.
void WhileNode::forward(autograd::Push& push) {
  if (acts()) return Node::forward(push);
  GraphTracer& tracer = *tracer_;
  const ir::Function& condition = *functions_[0];
  const ir::Function& body = *functions_[1];
  const size_t variables = of_.size();
  const std::vector<Item> all = operands(push.recorded);
  std::vector<Value> tangents = by_operand(push.arrived);

  std::vector<Item> initial(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(variables));
  std::vector<TypeSpec> specs;
  for (size_t i = 0; i < variables; ++i) specs.push_back(type_spec_of(*body.params[i]));
  for (size_t i = 0; i < variables; ++i) {
    if (!of_[i]) continue;
    specs.push_back(specs[i]);
    TypeSpec here = specs[i];
    here.shape = tensor_in(all[i])->shape;
    initial.push_back(tangents[i] ? Item(Tensor(&as_tensor(tangents[i]))) : nothing(tracer, here));
  }
  const auto operands_of = [&](const std::vector<Item>& params) {
    std::vector<Item> args(params.begin(), params.begin() + static_cast<std::ptrdiff_t>(variables));
    args.insert(args.end(), all.begin() + static_cast<std::ptrdiff_t>(variables), all.end());
    return args;
  };

  FunctionScope test(tracer, cat(condition.name, "_tangent"), specs);
  const Item truth = Replay(tracer).run(condition, operands_of(test.params())).front();
  Scope* asks = test.end();

  FunctionScope round(tracer, cat(body.name, "_tangent"), specs);
  size_t next = variables;
  for (size_t i = 0; i < variables; ++i) {
    tangents[i] = of_[i] ? Value(tensor_in(round.params()[next++])) : Value();
  }
  Moved given = moved(body, operands_of(round.params()), tangents);
  given.results.insert(given.results.end(), given.tangents.begin(), given.tangents.end());
  Scope* runs = round.end();
  const std::vector<Item> found = tracer.add_while(*asks, truth, *runs, given.results, initial);
  for (size_t i = variables; i < found.size(); ++i) push.leaving[i - variables] = tensor_in(found[i]);
}

/// A function that takes a tangent beside each parameter that may move, and gives those of the results.
Scope& CallNode::tangent() const {
  GraphTracer& tracer = *tracer_;
  const ir::Function& callee = *functions_[0];
  if (auto found = tracer.tangents_.find(&callee); found != tracer.tangents_.end()) return *found->second;
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
  Scope* made = tracer.declare(cat(callee.name, "_tangent"), std::move(params), std::move(results));
  tracer.tangents_[&callee] = made;
  tracer.copies_[made->function] = made;
  DeclaredFunctionScope opened(tracer, *made);
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
    if (!by_[i]) continue;
    TypeSpec here = type_spec_of(*functions_[0]->params[i]);
    here.shape = tensor_in(args[i])->shape;
    args.push_back(tangents[i] ? Item(Tensor(&as_tensor(tangents[i]))) : nothing(*tracer_, here));
  }
  const std::vector<Item> found = tracer_->add_call(tangent(), args);
  for (size_t i = 0; i < found.size(); ++i) push.leaving[i] = tensor_in(found[i]);
}

}  // namespace dyad::tracing
