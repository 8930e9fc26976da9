#include "autograd/forward.h"

#include <algorithm>

#include "autograd/autograd_meta.h"
#include "autograd/separation.h"
#include "autograd/state.h"
#include "ops/call.h"

namespace dyad::autograd {

namespace {
DYAD_USE(zeros_like);
}  // namespace

Pushforward::Pushforward(std::span<const Value> inputs, std::span<const Value> tangents, uint64_t mark)
    : mark_(mark), given_(tangents.begin(), tangents.end()) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Edge edge = kept_edge_of(*inputs[i]);
    if (!edge) continue;  // a Parameter that asks for no gradient is a constant
    Known& known = at(edge.node);
    known.found[edge.output] = true;
    known.tangents[edge.output] = tangents[i];
  }
}

Pushforward::Known& Pushforward::at(const Ref<Node>& node) {
  Known& known = known_[node.get()];
  if (!known.node) known = {node, std::vector<bool>(node->outputs), std::vector<Value>(node->outputs)};
  return known;
}

bool Pushforward::is_known(const Edge& edge) const {
  const auto known = known_.find(edge.node.get());
  return known != known_.end() && known->second.found[edge.output];
}

std::vector<Value> Pushforward::tangents(std::span<const Value> outputs) {
  std::vector<Edge> ends;
  for (const Value& output : outputs) ends.push_back(kept_edge_of(*output));
  push_to(ends);
  std::vector<Value> found(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (ends[i] && is_known(ends[i])) found[i] = known_.at(ends[i].node.get()).tangents[ends[i].output];
  }
  return found;
}

std::vector<Value> Pushforward::operator()(std::span<const Value> outputs) {
  const bool recorded = state().enabled;
  std::vector<Value> found = tangents(outputs);
  Separation separate(given_, 2);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!found[i]) found[i] = zeros_like(outputs[i]);
    if (!recorded) found[i] = separate(std::move(found[i]));
  }
  return found;
}

void Pushforward::push_to(std::span<const Edge> ends) {
  std::unordered_map<Node*, std::vector<bool>> wanted;
  std::vector<Ref<Node>> order;
  const auto want = [&](const Edge& edge) {
    if (!edge || is_known(edge) || edge.node->sequence < mark_) return;
    std::vector<bool>& outputs = wanted[edge.node.get()];
    if (outputs.empty()) {
      outputs.resize(edge.node->outputs);
      order.push_back(edge.node);
    }
    outputs[edge.output] = true;
  };
  for (const Edge& edge : ends) want(edge);
  for (size_t i = 0; i < order.size(); ++i) {
    const Node& node = *order[i];  // the list grows meanwhile, the node stays where it is
    for (const Edge& edge : node.edges) want(edge);
  }
  // What a step is made from has smaller numbers: its tangents are there when it is reached.
  std::ranges::sort(order, {}, [](const Ref<Node>& node) { return node->sequence; });
  for (const Ref<Node>& node : order) step(*node, wanted.at(node.get()));
}

void Pushforward::step(Node& node, const std::vector<bool>& wanted) {
  Known& known = at(Ref<Node>(&node));
  for (size_t i = 0; i < wanted.size(); ++i) known.found[i] = known.found[i] || wanted[i];
  // Where a released step led is forgotten: reaching it is an error, not a zero tangent.
  node.require_saved();
  std::vector<Value> arrived;
  bool any = false;
  for (const Edge& edge : node.edges) {
    const auto before = known_.find(edge.node.get());
    arrived.push_back(before == known_.end() ? Value() : before->second.tangents[edge.output]);
    any = any || arrived.back();
  }
  if (!any) return;
  Push push{arrived, known.found, known.tangents, state().enabled};
  node.forward(push);
}

}  // namespace dyad::autograd
