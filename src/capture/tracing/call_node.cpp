#include "autograd/autograd_meta.h"
#include "autograd/engine.h"
#include "base/error.h"
#include "capture/tracing/control_node.h"

namespace dyad::tracing {

using ir::GraphValue;
using Kind = GraphValue::Kind;

namespace {

bool is_token(const GraphValue& value) { return value.kind == Kind::kToken; }

Tensor tensor_in(const Item& item) { return std::get<Tensor>(item); }

}  // namespace

/// The gradient of a function that calls itself, by all that `by` tells, of all that `of` tells.
Scope& CallNode::gradient() const {
  GraphTracer& tracer = *tracer_;
  const ir::Function& callee = *node_.functions[0];
  if (auto found = tracer.gradients_.find(&callee); found != tracer.gradients_.end()) return *found->second;
  std::vector<TypeSpec> params;
  std::vector<TypeSpec> results;
  for (size_t i = 0; i < callee.params.size(); ++i) {
    if (is_token(*callee.params[i])) continue;
    params.push_back(type_spec_of(*callee.params[i]));
    if (by_[i]) results.push_back(params.back());
  }
  const size_t own = params.size();
  for (size_t i = 0; i < callee.results.size(); ++i) {
    if (of_[i]) params.push_back(type_spec_of(*callee.results[i]));
  }
  Scope* made = tracer.declare(cat(callee.name, "_gradient"), std::move(params), std::move(results));
  tracer.gradients_[&callee] = made;
  tracer.copies_[made->function] = made;
  DeclaredFunctionScope opened(tracer, *made);
  const std::vector<Item>& items = opened.params();
  std::vector<Item> found;
  {
    const Transform transform;
    std::vector<Item> args;
    std::vector<Value> inputs;
    size_t next = 0;
    for (size_t i = 0; i < callee.params.size(); ++i) {
      if (is_token(*callee.params[i])) continue;
      Item item = items[next++];
      if (by_[i]) {
        item = autograd::as_input(tensor_in(item));
        inputs.emplace_back(tensor_in(item));
      }
      args.push_back(std::move(item));
    }
    const std::vector<Item> given = Replay(tracer).run(callee, args);
    std::vector<Value> outputs;
    std::vector<Value> seeds;
    size_t result = 0;
    for (size_t i = 0; i < callee.results.size(); ++i) {
      if (is_token(*callee.results[i])) continue;
      const Item& item = given[result++];
      if (!of_[i]) continue;
      outputs.emplace_back(tensor_in(item));
      seeds.emplace_back(tensor_in(items[own + outputs.size() - 1]));
    }
    for (const Value& gradient : autograd::differentiate(outputs, seeds, inputs, transform.mark, false)) {
      found.emplace_back(Tensor(&as_tensor(gradient)));
    }
  }
  opened.close(found);
  return *made;
}

void CallNode::backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) {
  const std::vector<Item> all = operands(recorded);
  std::vector<Item> args;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!is_token(*node_.functions[0]->params[i])) args.push_back(all[i]);
  }
  for (Item& seed : arrived(gradients)) args.push_back(std::move(seed));
  give(tracer_->add_call(gradient(), args), inputs);
}

}  // namespace dyad::tracing
