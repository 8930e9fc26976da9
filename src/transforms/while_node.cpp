#include "base/error.h"
#include "transforms/control_node.h"
#include "transforms/loop_backward.h"
#include "transforms/loop_forward.h"

namespace dyad::transforms {

void WhileNode::require_fixed_sizes() const {
  for (const auto& param : node_.functions[1]->params) {
    if (all_known(param->shape)) continue;
    capture_error(
        BreakKind::kFunction,
        "graph: the gradient of a loop whose variables change their size is not captured; the one of "
        "shape ",
        param->shape, " must keep it");
  }
}

void WhileNode::split() {
  const size_t variables = node_.variables();
  joint_ = JointWriter(*tracer_, *node_.functions[1], by_, of_, state_).write();
  if (joint_.overwrites_kept) {
    capture_error(
        "graph: the gradient of a loop needs a Tensor that the next round overwrites; write to a copy() "
        "instead");
  }
  put_residuals_aside(*tracer_->module(), node_, joint_);
  rounds_ = tracer_->item_of(home_, *node_.results[variables]);
  for (size_t i = variables + 1; i < node_.results.size(); ++i)
    further_.push_back(tracer_->item_of(home_, *node_.results[i]));
}

void WhileNode::backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) {
  if (!joint_.forward) {
    require_fixed_sizes();
    split();
  }
  for (size_t i = 0; i < joint_.kept.size(); ++i) {
    if (joint_.kept[i]) require_unwritten(i);
  }
  const std::vector<Item> all = operands(recorded);
  const LoopRun run{rounds_, arrived(gradients), further_, all};
  give(write_loop_backward(*tracer_, joint_, by_, of_, run), inputs);
}

}  // namespace dyad::transforms
