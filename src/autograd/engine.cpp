#include "autograd/engine.h"

#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "autograd/autograd_meta.h"
#include "autograd/separation.h"
#include "autograd/state.h"
#include "base/error.h"
#include "eager/dispatch.h"
#include "eager/placement.h"
#include "ops/call.h"

namespace dyad::autograd {

namespace {

DYAD_USE(add, copy, ones_like, zeros_like);

/// This memory has no other user: it may be added to in place.
bool exclusive(const Value& value) {
  const TensorImpl& tensor = as_tensor(value);
  return value->owners() == 1 && tensor.storage->owners() == 1 && tensor.storage->writable() &&
         value->contiguous();
}

/// Sums the gradients that arrive at one value.
void accumulate(Value& sum, Value arrived, bool recorded) {
  if (!sum) {
    sum = std::move(arrived);
    return;
  }
  const bool symbolic = sum->symbolic || arrived->symbolic;
  if (!recorded && !symbolic && sum->dtype == arrived->dtype) {
    if (!exclusive(sum) && exclusive(arrived)) std::swap(sum, arrived);
    if (exclusive(sum)) {
      static const Op& addition = OpTable::instance().get("add");
      const Value target = std::move(sum);
      const Arg args[] = {target, arrived};
      eager::run_into(addition, args, target);
      sum = target;
      return;
    }
  }
  sum = add(sum, arrived);
}

struct Newest {
  bool operator()(const Ref<Node>& a, const Ref<Node>& b) const { return a->sequence < b->sequence; }
};

/// One walk from outputs to leaves, newest node first: a node is reached after everything made from it.
class Pass {
 public:
  Pass(uint64_t mark, bool keep, bool recorded) : mark_(mark), keep_(keep), recorded_(recorded) {}

  /// The walk ends at this node; its gradient is asked for.
  void add_target(const Edge& edge) { targets_.try_emplace(edge.node.get()); }
  const Value& gradient_at(const Edge& edge) const { return targets_.at(edge.node.get()); }

  /// Walk only nodes that lead from these outputs to a target. Inside another transform most nodes may
  /// belong to that one.
  void restrict_to_targets(std::span<const Edge> outputs);
  void send(const Edge& edge, Value gradient);
  void run();
  /// Called for leaves that are no target.
  void (*at_leaf)(LeafNode& leaf, const Value& gradient) = nullptr;

 private:
  struct Waiting {
    std::vector<Value> gradients;
  };
  bool is_target(const Node& node) const { return targets_.contains(const_cast<Node*>(&node)); }
  void step(const Ref<Node>& node);

  uint64_t mark_;
  bool keep_;
  bool recorded_;
  bool restricted_ = false;
  std::unordered_set<const Node*> leading_;
  std::unordered_map<Node*, Value> targets_;
  std::unordered_map<Node*, Waiting> waiting_;
  std::priority_queue<Ref<Node>, std::vector<Ref<Node>>, Newest> queue_;
};

void Pass::restrict_to_targets(std::span<const Edge> outputs) {
  restricted_ = true;
  // Oldest first, every input of a node is decided before the node itself.
  std::unordered_set<Node*> seen;
  std::vector<Node*> found;
  for (const Edge& edge : outputs) {
    if (edge && seen.insert(edge.node.get()).second) found.push_back(edge.node.get());
  }
  for (size_t i = 0; i < found.size(); ++i) {
    if (is_target(*found[i])) continue;
    for (const Edge& edge : found[i]->edges) {
      Node* next = edge.node.get();
      if ((next->sequence >= mark_ || is_target(*next)) && seen.insert(next).second) found.push_back(next);
    }
  }
  std::sort(found.begin(), found.end(), [](Node* a, Node* b) { return a->sequence < b->sequence; });
  for (Node* node : found) {
    // Where a released node led is forgotten: reaching it is an error, not a zero gradient.
    bool leads = is_target(*node) || node->released;
    for (const Edge& edge : node->edges) leads = leads || leading_.contains(edge.node.get());
    if (leads) leading_.insert(node);
  }
}

void Pass::send(const Edge& edge, Value gradient) {
  if (!edge || !gradient) return;
  Node& node = *edge.node;
  if (restricted_ ? !leading_.contains(&node) : node.sequence < mark_ && !is_target(node)) return;
  Waiting& waiting = waiting_[&node];
  if (waiting.gradients.empty()) {
    waiting.gradients.resize(node.outputs);
    queue_.push(edge.node);
  }
  accumulate(waiting.gradients[edge.output], std::move(gradient), recorded_);
}

void Pass::run() {
  while (!queue_.empty()) {
    const Ref<Node> node = queue_.top();
    queue_.pop();
    step(node);
  }
}

void Pass::step(const Ref<Node>& node) {
  auto found = waiting_.find(node.get());
  std::vector<Value> gradients = std::move(found->second.gradients);
  waiting_.erase(found);
  node->run_hooks(gradients);
  if (auto target = targets_.find(node.get()); target != targets_.end()) {
    target->second = std::move(gradients[0]);
    return;
  }
  auto* leaf = dynamic_cast<LeafNode*>(node.get());
  if (leaf && node->edges.empty()) {
    if (at_leaf) at_leaf(*leaf, gradients[0]);
    return;
  }
  node->require_saved();
  std::vector<Value> inputs(node->edges.size());
  node->last_walk = !keep_;
  {
    const eager::DefaultDeviceScope scope(gradients);
    node->backward(gradients, inputs, recorded_);
  }
  gradients.clear();
  if (keep_) {
    for (size_t i = 0; i < inputs.size(); ++i) send(node->edges[i], std::move(inputs[i]));
    return;
  }
  node->free_saved();
  node->drop_hooks();
  const std::vector<Edge> edges = std::move(node->edges);
  node->edges.clear();
  for (size_t i = 0; i < inputs.size(); ++i) send(edges[i], std::move(inputs[i]));
}

Value seed_for(const Value& output, const Value& seed) {
  if (!seed) return ones_like(output);
  if (!(seed->shape == output->shape)) {
    value_error("grad: the gradient given for an output has shape ", seed->shape, "; the output has shape ",
                output->shape);
  }
  return seed;
}

/// Adds to `.grad` of a leaf that still exists.
void store_gradient(LeafNode& leaf, const Value& gradient) {
  if (!leaf.owner || !gradient) return;
  Value sum(leaf.owner->gradient);
  leaf.owner->gradient = Tensor();
  accumulate(sum, sum ? gradient : copy(gradient), false);
  leaf.owner->gradient = Tensor(&as_tensor(sum));
}

}  // namespace

std::vector<Value> gradients(std::span<const Value> outputs, std::span<const Value> seeds,
                             std::span<const Value> inputs, uint64_t mark, bool keep) {
  const bool recorded = state().depth > 1 && state().enabled;
  const RecordingSwitch recording(recorded);
  Pass pass(mark, keep || recorded, recorded);
  std::vector<Edge> asked;
  for (const Value& input : inputs) {
    asked.push_back(kept_edge_of(*input));
    if (asked.back()) pass.add_target(asked.back());
  }
  std::vector<Edge> ends;
  for (const Value& output : outputs) ends.push_back(kept_edge_of(*output));
  if (recorded) pass.restrict_to_targets(ends);
  for (size_t i = 0; i < outputs.size(); ++i) {
    Value seed = seed_for(outputs[i], seeds[i]);
    if (ends[i]) pass.send(ends[i], std::move(seed));
  }
  pass.run();
  std::vector<Value> found;
  for (const Edge& edge : asked) found.push_back(edge ? pass.gradient_at(edge) : Value());
  return found;
}

std::vector<Value> differentiate(std::span<const Value> outputs, std::span<const Value> seeds,
                                 std::span<const Value> inputs, uint64_t mark, bool keep) {
  const bool recorded = state().depth > 1 && state().enabled;
  std::vector<Value> gradients = autograd::gradients(outputs, seeds, inputs, mark, keep);
  const RecordingSwitch recording(recorded);
  Separation separate(seeds);
  for (size_t i = 0; i < inputs.size(); ++i) {
    Value& gradient = gradients[i];
    if (!gradient || is_bool(inputs[i]->dtype)) {
      gradient = zeros_like(inputs[i]);
      if (const AutogradMeta* meta = autograd_meta_of(*inputs[i]); meta && meta->hooks)
        run_hooks(Hooks(*meta->hooks), gradient);
    }
    if (!recorded) gradient = separate(std::move(gradient));
  }
  return gradients;
}

std::vector<Value> pull_back(std::span<const Value> outputs, std::span<const Value> seeds,
                             std::span<const Value> inputs, uint64_t mark, bool recorded) {
  const RecordingSwitch recording(recorded);
  Pass pass(mark, recorded, recorded);
  std::vector<Edge> asked;
  for (const Value& input : inputs) {
    asked.push_back(kept_edge_of(*input));
    pass.add_target(asked.back());
  }
  std::vector<Edge> ends;
  for (const Value& output : outputs) ends.push_back(edge_of(*output));
  pass.restrict_to_targets(ends);
  for (size_t i = 0; i < outputs.size(); ++i) pass.send(ends[i], seeds[i]);
  pass.run();
  std::vector<Value> gradients;
  for (const Edge& edge : asked) gradients.push_back(pass.gradient_at(edge));
  return gradients;
}

void backward(const Value& output, const Value& seed, bool keep) {
  const Edge end = edge_of(*output);
  if (!end) {
    runtime_error(
        "backward: the tensor does not depend on one that requires a gradient; call requires_grad_() on a "
        "leaf first");
  }
  if (!seed && output->size() != 1) {
    runtime_error("backward: a gradient must be given for a tensor of shape ", output->shape,
                  "; only that of a single element is 1 by itself");
  }
  const RecordingSwitch off(false);
  Pass pass(0, keep, false);
  pass.at_leaf = store_gradient;
  pass.send(end, seed_for(output, seed));
  pass.run();
}

}  // namespace dyad::autograd
