#include <algorithm>
#include <unordered_set>

#include "autograd/autograd_meta.h"
#include "autograd/node.h"
#include "base/error.h"
#include "capture/tracing/replay.h"
#include "ops/call.h"

namespace dyad::tracing {

using autograd::Edge;
using ir::GraphValueRef;

namespace {

DYAD_USE(cast)
DYAD_USE(equal)
DYAD_USE(logical_and)
DYAD_USE(not_equal)
DYAD_USE(sum)
DYAD_USE(zeros_like)

/// Per result of a function, whether it is computed from one of `count` parameters from `first` on.
std::vector<bool> follows(const ir::Function& function, size_t first, size_t count) {
  std::unordered_set<const ValueImpl*> following;
  for (size_t i = first; i < first + count; ++i) following.insert(function.params[i].get());
  for (const auto& node : function.nodes) {
    bool any = false;
    for (const Arg& arg : node->args)
      ir::for_each_value(arg, [&](const Value& value) { any = any || following.contains(value.get()); });
    if (!any) continue;
    for (const auto& result : node->results) following.insert(result.get());
  }
  std::vector<bool> found;
  for (const auto& result : function.results) found.push_back(following.contains(result.get()));
  return found;
}

/// A zero that is there where any of these gradients is, whatever they hold. Added to a gradient that is
/// computed from none of them, it tells a graph that brings only some gradients whether this one is there.
Value arrival(std::span<const Value> gradients, DType dtype) {
  Value zero;
  for (const Value& gradient : gradients) {
    if (!gradient) continue;
    const Value total = sum(gradient);
    const Value part = cast(logical_and(equal(total, 0), not_equal(total, 0)), dtype);
    zero = zero ? zero + part : part;
  }
  return zero;
}

/// A function with a gradient of its own, on the tape: the gradient is written down where it is asked for.
class CustomNode final : public autograd::Node {
 public:
  CustomNode(GraphTracer& tracer, const ir::Node& node, std::vector<Item> args, std::vector<Item> results,
             size_t own)
      : Node(results.size()),
        tracer_(&tracer),
        node_(node),
        args_(std::move(args)),
        results_(std::move(results)),
        own_(own) {
    close_with_recording();
  }
  std::string_view name() const override { return node_.functions[0]->name; }
  std::vector<ResultSpec> output_specs() const override {
    std::vector<ResultSpec> specs;
    for (const Item& item : results_) {
      specs.push_back({std::get<Tensor>(item)->dtype, std::get<Tensor>(item)->shape});
    }
    return specs;
  }
  /// Symbolic: functions inside would take a tensor with data for a constant.
  Value nothing_at(uint32_t output) const override {
    return tracer_->snapshot(Tensor(&as_tensor(Node::nothing_at(output))));
  }
  void free_saved() override {
    args_.clear();
    results_.clear();
  }
  void backward(std::span<Value> gradients, std::span<Value> inputs, bool) override {
    std::vector<Item> given(args_.begin(), args_.begin() + static_cast<std::ptrdiff_t>(own_));
    given.insert(given.end(), results_.begin(), results_.end());
    for (size_t i = 0; i < results_.size(); ++i) {
      given.push_back(gradients[i]
                          ? Item(Tensor(&as_tensor(gradients[i])))
                          : Item(Tensor(&as_tensor(zeros_like(Value(std::get<Tensor>(results_[i])))))));
    }
    given.insert(given.end(), args_.begin() + static_cast<std::ptrdiff_t>(own_), args_.end());
    const std::vector<bool> linked = follows(*node_.functions[1], own_ + results_.size(), results_.size());
    const std::vector<Item> found = Replay(*tracer_).run(*node_.functions[1], given);
    size_t edge = 0;
    for (size_t i = 0; i < own_; ++i) {
      if (!leads[i]) continue;
      const Value gradient = std::get<Tensor>(found[i]);
      const Value arrived = linked[i] ? Value() : arrival(gradients, gradient->dtype);
      inputs[edge++] = arrived ? gradient + arrived : gradient;
    }
  }
  std::vector<bool> leads;  ///< per argument: it has an edge

 private:
  const Ref<GraphTracer> tracer_;
  const ir::Node& node_;
  std::vector<Item> args_;
  std::vector<Item> results_;
  const size_t own_;
};

}  // namespace

std::vector<Item> GraphTracer::add_custom(Scope& forward, std::span<const Item> given, Scope& backward,
                                          std::span<const Item> gradients, std::span<const Item> args) {
  Scope& here = scope();
  require_suspended("add_custom", forward);
  require_suspended("add_custom", backward);
  if (forward.own_params != args.size() || gradients.size() != args.size() ||
      backward.own_params != args.size() + 2 * given.size()) {
    value_error("add_custom: ", args.size(), " arguments and ", given.size(), " results; the function takes ",
                forward.own_params, ", its gradient takes ", backward.own_params, " and gives ",
                gradients.size());
  }
  std::vector<GraphValueRef> results;
  std::vector<GraphValueRef> found;
  for (const Item& item : given) results.push_back(value_of(forward, item));
  for (const Item& item : gradients) found.push_back(value_of(backward, item));
  for (const CapturedVariable& what : backward.captured) {
    if (what.kind == CapturedVariable::Kind::kStorage && is_changed(backward, what)) {
      capture_error("graph: the backward of @", forward.function->name,
                    " writes to a Tensor from outside of it; return what it computes");
    }
  }
  Scope* parts[] = {&forward, &backward};
  const std::vector<CapturedVariable> order = united(parts);
  arrange_params(parts, order);
  std::vector<CapturedVariable> changed;
  std::vector<CapturedVariable> acts;
  for (const CapturedVariable& what : order) {
    if (is_changed(forward, what)) changed.push_back(what);
    if (what.kind == CapturedVariable::Kind::kToken) acts.push_back(what);
  }
  give_results(forward, results, changed);
  give_results(backward, found, acts);

  std::vector<Arg> passed;
  for (const Item& item : args) passed.emplace_back(Value(argument_value(here, item)));
  for (const CapturedVariable& what : order) passed.push_back(outer_arg(here, what));
  ir::Node& node = add_node(here, ir::NodeKind::kCall);
  node.functions = {forward.function, backward.function};
  node.args = std::move(passed);
  for (Scope* part : parts) part->uses.emplace_back(&node, &here);
  std::vector<Item> made;
  for (const GraphValueRef& value : results) {
    made.push_back(item_result(here, node.add_result(value->kind, value->dtype, value->shape)));
  }
  take_changed(here, changed, node);
  return made;
}

/// Lets the tape know a call with a gradient of its own.
void GraphTracer::record_custom(const ir::Node& node, const std::vector<Item>& args,
                                const std::vector<Item>& results, size_t own) {
  if (!autograd::state().enabled) return;
  std::vector<Edge> edges;
  std::vector<bool> leads;
  for (size_t i = 0; i < own; ++i) {
    Edge edge = autograd::edge_of(*std::get<Tensor>(args[i]));
    leads.push_back(static_cast<bool>(edge));
    if (edge) edges.push_back(std::move(edge));
  }
  if (edges.empty()) return;
  const Ref<CustomNode> made(new CustomNode(*this, node, args, results, own));
  made->edges = std::move(edges);
  made->leads = std::move(leads);
  for (size_t i = 0; i < results.size(); ++i) {
    autograd::set_source(*std::get<Tensor>(results[i]),
                         {Ref<autograd::Node>(made), static_cast<uint32_t>(i)});
  }
}

/// The call as it is, for who differentiates what is written down here.
std::vector<Item> Replay::written_custom(const ir::Node& node, const std::vector<Item>& args, size_t own,
                                         size_t outputs) {
  const auto further = args.begin() + static_cast<std::ptrdiff_t>(own);
  const auto write = [&](const ir::Function& function, std::span<const Item> taken, size_t given,
                         std::vector<Item>& results) {
    std::vector<TypeSpec> specs;
    for (const Item& item : taken) {
      const Tensor& tensor = std::get<Tensor>(item);
      TypeSpec spec;
      spec.dtype = tensor->dtype;
      spec.shape = tensor->shape;
      specs.push_back(std::move(spec));
    }
    FunctionScope opened(tracer_, function.name, specs);
    std::vector<Item> inside = opened.params();
    inside.insert(inside.end(), further, args.end());
    Replay replay(tracer_);
    replay.sizes_ = sizes_;
    results = replay.run(function, inside);
    if (results.size() != given) {
      capture_error(
          "graph: @", function.name,
          ", which has a gradient of its own, writes to a Tensor from outside of it; return what it "
          "computes");
    }
    return opened.end();
  };
  std::vector<Item> taken(args.begin(), further);
  std::vector<Item> results;
  Scope* forward = write(*node.functions[0], taken, outputs, results);
  for (int twice = 0; twice < 2; ++twice) taken.insert(taken.end(), results.begin(), results.end());
  std::vector<Item> gradients;
  Scope* backward = write(*node.functions[1], taken, own, gradients);
  return tracer_.add_custom(*forward, results, *backward, gradients, std::span(args).first(own));
}

/// A call with a gradient of its own, written down again, and on the tape if there is one.
void Replay::call_custom(const ir::Node& node) {
  const std::vector<Item> args = items_of(node, 0, node.args.size());
  const size_t own = node.functions[1]->results.size() -
                     static_cast<size_t>(std::count_if(
                         node.functions[1]->results.begin(), node.functions[1]->results.end(),
                         [](const auto& r) { return r->kind == ir::GraphValue::Kind::kToken; }));
  // The gradient's own parameters are the arguments, the results, and a gradient for each of these.
  size_t outputs = node.functions[1]->params.size() - own;
  for (const auto& param : node.functions[0]->params) outputs -= static_cast<size_t>(param->index >= own);
  outputs /= 2;
  const std::vector<Item> results = written_custom(node, args, own, outputs);
  tracer_.record_custom(node, args, results, own);
  give(node, results);
}

}  // namespace dyad::tracing
