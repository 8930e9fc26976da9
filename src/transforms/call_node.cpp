#include "autograd/autograd_meta.h"
#include "autograd/engine.h"
#include "autograd/transform.h"
#include "transforms/control_node.h"
#include "transforms/replay.h"

namespace dyad::transforms {

using tracing::Derived;

Scope& CallNode::gradient() const {
  const ir::Function& callee = *node_.functions[0];
  if (Scope* known = tracer_->derived(Derived::kGradient, callee)) return *known;
  Scope& made = declare_gradient();
  tracer_->derived(Derived::kGradient, callee) = &made;
  tracer_->derived(Derived::kCopy, *made.function) = &made;
  DeclaredFunctionScope opened(*tracer_, made);
  const std::span<const Item> params = opened.params();
  const size_t own = params.size() - outputs;  // then a gradient for each output
  opened.close(differentiated({params.begin(), params.begin() + static_cast<std::ptrdiff_t>(own)},
                              params.subspan(own)));
  return made;
}

/// Takes what the function takes and a gradient for each result of `of`; gives one for each parameter of
/// `by`.
Scope& CallNode::declare_gradient() const {
  const ir::Function& callee = *node_.functions[0];
  std::vector<TypeSpec> params = type_specs_of(callee.params);
  std::vector<TypeSpec> results;
  for (size_t i = 0; i < callee.params.size(); ++i) {
    if (by_[i]) results.push_back(type_spec_of(*callee.params[i]));
  }
  for (size_t i = 0; i < callee.results.size(); ++i) {
    if (of_[i]) params.push_back(type_spec_of(*callee.results[i]));
  }
  return *tracer_->declare(cat(callee.name, "_gradient"), std::move(params), std::move(results));
}

/// Runs the function on `args` with a tape, and walks back from its results.
std::vector<Item> CallNode::differentiated(std::vector<Item> args, std::span<const Item> seeds) const {
  const ir::Function& callee = *node_.functions[0];
  const autograd::Transform transform;
  std::vector<Value> inputs;
  size_t next = 0;
  for (size_t i = 0; i < callee.params.size(); ++i) {
    if (is_token(*callee.params[i])) continue;
    Item& item = args[next++];
    if (!by_[i]) continue;
    item = autograd::as_input(tensor_in(item));
    inputs.emplace_back(tensor_in(item));
  }
  const std::vector<Item> given = Replay(*tracer_).run(callee, args);
  std::vector<Value> ends;
  std::vector<Value> begins;
  next = 0;
  for (size_t i = 0; i < callee.results.size(); ++i) {
    if (is_token(*callee.results[i])) continue;
    const Item& item = given[next++];
    if (!of_[i]) continue;
    ends.emplace_back(tensor_in(item));
    begins.emplace_back(tensor_in(seeds[begins.size()]));
  }
  std::vector<Item> found;
  for (const Value& gradient : autograd::differentiate(ends, begins, inputs, transform.mark, false)) {
    found.emplace_back(tensor_of(gradient));
  }
  return found;
}

void CallNode::backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) {
  const std::vector<Item> all = operands(recorded);
  for (size_t i = 0; i < all.size(); ++i) require_unwritten(i);  // the function runs again
  std::vector<Item> args;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!is_token(*node_.functions[0]->params[i])) args.push_back(all[i]);
  }
  for (Item& seed : arrived(gradients)) args.push_back(std::move(seed));
  give(tracer_->add_call(gradient(), args), inputs);
}

}  // namespace dyad::transforms
