#include "transforms/control_node.h"
#include "transforms/replay.h"

namespace dyad::transforms {

using ir::GraphValueRef;

/// Each arm gives what its own gradient needs, and something in place of what the other's does.
void IfNode::split() {
  const std::vector<bool> by(by_.begin() + 1, by_.end());
  const std::vector<bool> state(state_.begin() + 1, state_.end());
  for (const ir::Function* arm : node_.functions)
    joints_.push_back(JointWriter(*tracer_, *arm, by, of_, state).write());
  std::vector<GraphValueRef> further[2];
  for (size_t arm = 0; arm < 2; ++arm) further[arm] = joints_[arm].take_further(node_.results.size());
  for (size_t arm = 0; arm < 2; ++arm) {
    const Joint& other = joints_[1 - arm];
    for (const GraphValueRef& value : further[arm]) {
      further_.push_back(add_result(*value));
      joints_[arm].forward->results.push_back(value);
      other.forward->results.push_back(tracer_->never_given(*other.scope, *value));
    }
  }
  for (size_t arm = 0; arm < 2; ++arm) node_.functions[arm] = joints_[arm].forward;
}

/// `if c then forward else forward'` is followed by `if c then backward else backward'`.
void IfNode::backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) {
  if (joints_.empty()) split();
  const std::vector<Item> seeds = arrived(gradients);
  const std::vector<Item> all = operands(recorded);
  const std::span<const Item> params = std::span(all).subspan(1);
  std::span<const Item> further = further_;
  std::vector<Item> given[2];
  Scope* arms[2];
  for (size_t arm = 0; arm < 2; ++arm) {
    const Joint& joint = joints_[arm];
    for (size_t i = 0; i < joint.kept.size(); ++i) {
      if (joint.kept[i]) require_unwritten(1 + i);
    }
    std::vector<Item> args = joint.residuals_among(params, further);
    further = further.subspan(joint.further());
    args.insert(args.end(), seeds.begin(), seeds.end());
    FunctionScope opened(*tracer_, joint.backward->name, {});
    given[arm] = Replay(*tracer_).run(*joint.backward, args);
    arms[arm] = opened.end();
  }
  give(tracer_->add_if(operands_[0], *arms[0], given[0], *arms[1], given[1], std::nullopt), inputs);
}

}  // namespace dyad::transforms
