#include "transforms/control_node.h"

#include <algorithm>

#include "autograd/autograd_meta.h"
#include "base/error.h"

namespace dyad::transforms {

using autograd::Edge;
using ir::GraphValue;

namespace {

std::vector<Item> operands_of(GraphTracer& tracer, Scope& home, const ir::Node& node) {
  std::vector<Item> operands;
  for (const Arg& arg : node.args) {
    GraphValue& value = ir::as_graph_value(*arg.get<Value>());
    operands.push_back(is_token(value) ? Item(Scalar(0)) : tracer.item_of(home, value));
  }
  return operands;
}

}  // namespace

ControlNode::ControlNode(GraphTracer& tracer, Scope& home, ir::Node& node, Flow flow)
    : Node(static_cast<size_t>(std::count(flow.of.begin(), flow.of.end(), true))),
      tracer_(&tracer),
      home_(home),
      node_(node),
      functions_(node.functions),
      operands_(operands_of(tracer, home, node)),
      state_(std::move(flow.state)),
      leads_(std::move(flow.leads)),
      by_(std::move(flow.by)),
      of_(std::move(flow.of)),
      memories_(std::move(flow.memories)) {
  for (const Ref<Storage>& memory : memories_) versions_.push_back(memory ? memory->version() : 0);
}

void ControlNode::require_unwritten(size_t operand) {
  if (operand >= memories_.size() || !memories_[operand]) return;
  const Storage& memory = *memories_[operand];
  home_.needed.insert(&memory);
  if (memory.version() == versions_[operand] || !tracing::is_overwritten(home_, memory)) return;
  capture_error(
      "graph: a Tensor that a gradient needs on a path that data decides is written in place after it; write "
      "to a copy() instead");
}

Ref<ControlNode> ControlNode::make(GraphTracer& tracer, Scope& home, ir::Node& node, Flow flow,
                                   std::vector<Edge> edges) {
  const auto made = [&]() -> ControlNode* {
    if (node.kind == ir::NodeKind::kIf) return new IfNode(tracer, home, node, std::move(flow));
    if (node.kind == ir::NodeKind::kWhile) return new WhileNode(tracer, home, node, std::move(flow));
    return new CallNode(tracer, home, node, std::move(flow));
  };
  Ref<ControlNode> step(made());
  step->edges = std::move(edges);
  return step;
}

void ControlNode::give_source(std::span<const Tensor> results) {
  uint32_t output = 0;
  for (size_t i = 0; i < of_.size(); ++i) {
    if (!of_[i]) continue;
    const Edge edge{Ref<autograd::Node>(this), output++};
    if (i < results.size() && results[i]) autograd::set_source(*results[i], edge);
  }
}

std::vector<Item> ControlNode::operands(bool recorded) {
  std::vector<Item> items = operands_;
  if (!recorded) return items;
  size_t next = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!leads_[i]) continue;
    const Tensor tracked = alias_of(*tensor_in(items[i]));
    autograd::set_source(*tracked, edges[next++]);
    items[i] = tracked;
  }
  if (!std::exchange(further_recorded_, true) && !further_.empty()) record_further();
  return items;
}

/// Now that the node gives more, it is another one for the tape.
void ControlNode::record_further() {
  const size_t added = node_.args.size() - operands_.size();
  // A loop has got more variables, behind those that it had.
  const auto with_added = [&](std::vector<bool> flags) {
    const size_t place = added > 0 ? of_.size() : flags.size();
    flags.insert(flags.begin() + static_cast<std::ptrdiff_t>(place), added, false);
    return flags;
  };
  Flow flow{with_added(state_), with_added(leads_), {}, {}};
  find_reach(node_, flow);
  std::vector<Tensor> results(node_.results.size() - further_.size());
  for (const Item& item : further_) results.push_back(tensor_or_none(item));
  make(*tracer_, home_, node_, std::move(flow), edges)->give_source(results);
}

std::string_view ControlNode::name() const {
  return node_.kind == ir::NodeKind::kIf ? "if" : node_.kind == ir::NodeKind::kWhile ? "while" : "call";
}

Value ControlNode::nothing_at(uint32_t output) const {
  size_t place = 0;
  for (uint32_t before = 0; !of_[place] || before < output; ++place) before += of_[place] ? 1 : 0;
  return tensor_in(zeros_of(*tracer_, type_spec_of(*node_.results[place])));
}

std::vector<Item> ControlNode::arrived(std::span<Value> gradients) const {
  std::vector<Item> items;
  size_t next = 0;
  for (size_t i = 0; i < of_.size(); ++i) {
    if (!of_[i]) continue;
    const Value& gradient = gradients[next++];
    if (!gradient) {
      items.push_back(zeros_of(*tracer_, type_spec_of(*node_.results[i])));
      continue;
    }
    Tensor seed = tensor_of(gradient);
    if (!seed->symbolic) {  // a function inside would take it for a constant, whatever it was made from
      Edge edge = autograd::edge_of(*seed);
      seed = tracer_->separate(seed);
      if (edge) autograd::set_source(*seed, std::move(edge));
    }
    items.emplace_back(std::move(seed));
  }
  return items;
}

void ControlNode::give(std::span<const Item> found, std::span<Value> inputs) const {
  size_t next = 0;
  size_t edge = 0;
  for (size_t i = 0; i < by_.size(); ++i) {
    if (!by_[i]) continue;
    if (leads_[i]) inputs[edge++] = tensor_in(found[next]);
    ++next;
  }
}

Item ControlNode::add_result(const GraphValue& like) {
  GraphValue& result = node_.add_result(like.kind, like.dtype, tracing::with_fresh_sizes(like.shape));
  return tracer_->item_of(home_, result);
}

}  // namespace dyad::transforms
