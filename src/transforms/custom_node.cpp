#include "transforms/custom_node.h"

#include <algorithm>
#include <unordered_set>

#include "autograd/autograd_meta.h"
#include "autograd/node.h"
#include "ops/call.h"
#include "transforms/replay.h"

namespace dyad::transforms {

using autograd::Edge;

namespace {

DYAD_USE(cast, equal, logical_and, not_equal, sum, zeros_like);

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
      specs.push_back({tensor_in(item)->dtype, tensor_in(item)->shape});
    }
    return specs;
  }
  /// Symbolic: functions inside would take a tensor with data for a constant.
  Value nothing_at(uint32_t output) const override {
    return tracer_->snapshot(tensor_of(Node::nothing_at(output)));
  }
  void free_saved() override {
    args_.clear();
    results_.clear();
  }
  void backward(std::span<Value> gradients, std::span<Value> inputs, bool) override {
    std::vector<Item> given(args_.begin(), args_.begin() + static_cast<std::ptrdiff_t>(own_));
    given.insert(given.end(), results_.begin(), results_.end());
    for (size_t i = 0; i < results_.size(); ++i) {
      given.emplace_back(tensor_of(gradients[i] ? gradients[i] : zeros_like(Value(tensor_in(results_[i])))));
    }
    given.insert(given.end(), args_.begin() + static_cast<std::ptrdiff_t>(own_), args_.end());
    const std::vector<bool> linked = follows(*node_.functions[1], own_ + results_.size(), results_.size());
    const std::vector<Item> found = Replay(*tracer_).run(*node_.functions[1], given);
    size_t edge = 0;
    for (size_t i = 0; i < own_; ++i) {
      if (!leads[i]) continue;
      const Value gradient = tensor_in(found[i]);
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

CustomSignature custom_signature(const ir::Node& node) {
  const auto count = [](const std::vector<ir::GraphValueRef>& values) {
    return static_cast<size_t>(
        std::count_if(values.begin(), values.end(), [](const auto& value) { return !is_token(*value); }));
  };
  const size_t own = count(node.functions[1]->results);
  const size_t captured = node.functions[0]->params.size() - own;
  return {own, (node.functions[1]->params.size() - own - captured) / 2};
}

void record_custom(GraphTracer& tracer, const ir::Node& node, const std::vector<Item>& args,
                   const std::vector<Item>& results) {
  if (!autograd::state().enabled) return;
  const size_t own = custom_signature(node).own;
  std::vector<Edge> edges;
  std::vector<bool> leads;
  for (size_t i = 0; i < own; ++i) {
    Edge edge = autograd::edge_of(*tensor_in(args[i]));
    leads.push_back(static_cast<bool>(edge));
    if (edge) edges.push_back(std::move(edge));
  }
  if (edges.empty()) return;
  const Ref<CustomNode> made(new CustomNode(tracer, node, args, results, own));
  made->edges = std::move(edges);
  made->leads = std::move(leads);
  for (size_t i = 0; i < results.size(); ++i) {
    autograd::set_source(*tensor_in(results[i]), {Ref<autograd::Node>(made), static_cast<uint32_t>(i)});
  }
}

}  // namespace dyad::transforms
