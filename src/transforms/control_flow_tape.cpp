#include "capture/tracing/control_flow_tape.h"

#include "autograd/autograd_meta.h"
#include "autograd/in_place.h"
#include "ir/calls.h"
#include "transforms/control_node.h"
#include "transforms/dependence.h"

namespace dyad::transforms {

using autograd::Edge;
using ir::GraphValue;
using Kind = GraphValue::Kind;

namespace {

bool may_vary(const GraphValue& value) {
  return value.kind == Kind::kResidualStack ||
         (value.kind == Kind::kTensor && (is_float(value.dtype) || is_complex(value.dtype)));
}

/// A gradient flows through whole numbers too, as the operators that made them let it.
bool may_carry(const GraphValue& value) {
  return value.kind == Kind::kResidualStack || (value.kind == Kind::kTensor && !is_bool(value.dtype));
}

/// Adds the results that vary, those of a function or of both arms.
void join(const ir::Node& node, const std::vector<bool>& varying, Flow& flow) {
  for (size_t i = 0; i < flow.of.size(); ++i) {
    flow.of[i] = flow.of[i] || (varying[i] && may_carry(*node.results[i]));
  }
}

/// A node with functions that is let known to the tape.
class Record {
 public:
  Record(GraphTracer& tracer, const tracing::ControlFlowStep& step)
      : tracer_(tracer),
        step_(step),
        first_(ir::first_passed_argument(step.node)),
        own_(step.results.size()) {}
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  void add() {
    find_edges();
    if (edges_.empty()) return;
    find_reach(step_.node, flow_);
    for (size_t i = 0; i < step_.changed.size(); ++i) {
      const Tensor& target = step_.changed[i].tensor;
      if (target) refuse_leaf(step_.changed[i]);
      if (target && flow_.of[own_ + i]) flow_.of[own_ + i] = !is_state(step_.changed[i]);
      if (target && flow_.of[own_ + i]) autograd::require_rewritable("graph", *target);
    }
    const std::vector<bool> of = flow_.of;
    const Ref<ControlNode> made =
        ControlNode::make(tracer_, step_.here, step_.node, std::move(flow_), std::move(edges_));
    std::vector<Tensor> outputs;
    for (const Item& item : step_.results) outputs.push_back(tensor_or_none(item));
    made->give_source(outputs);
    rewrite_changed(made, of);
  }

 private:
  /// A Parameter that a gradient is taken by is not written in place. Whether it is depends on the path that
  /// a run takes, so Python runs the function.
  void refuse_leaf(const CapturedVariable& what) const {
    if (!is_state(what) || !tracer_.written_in_place(*what.storage) || !autograd::edge_of(*what.tensor))
      return;
    capture_error(
        "graph: a Parameter that a gradient is taken by is written in place on a path that data decides; "
        "write to a "
        "copy(), or inside no_grad");
  }

  static Ref<Storage> memory_of(const Tensor& tensor) { return tensor ? tensor->storage : Ref<Storage>(); }

  bool is_state(const CapturedVariable& what) const {
    return what.kind == CapturedVariable::Kind::kStorage && tracer_.holds_state(*what.storage);
  }

  void find_edges() {
    std::vector<Tensor> tensors(first_);
    for (const Item& item : step_.given) tensors.push_back(tensor_or_none(item));
    for (const CapturedVariable& what : step_.passed) tensors.push_back(what.tensor);
    for (const Tensor& tensor : tensors) {
      Edge edge = tensor ? autograd::edge_of(*tensor) : Edge();
      flow_.leads.push_back(static_cast<bool>(edge));
      if (edge) edges_.push_back(std::move(edge));
    }
    flow_.state.assign(first_ + step_.given.size(), false);
    for (const CapturedVariable& what : step_.passed) flow_.state.push_back(is_state(what));
    flow_.memories.resize(first_);
    for (const Item& item : step_.given) flow_.memories.push_back(memory_of(tensor_or_none(item)));
    for (const CapturedVariable& what : step_.passed) {
      const bool lies = what.kind == CapturedVariable::Kind::kStorage;
      flow_.memories.push_back(lies ? tracer_.whole(*what.storage)->storage : Ref<Storage>());
    }
  }

  /// Storages that the node left changed have it as their source; those that vary no more are constants.
  void rewrite_changed(const Ref<ControlNode>& made, const std::vector<bool>& of) const {
    uint32_t output = 0;
    for (size_t i = 0; i < of.size(); ++i) {
      if (!of[i]) continue;
      const Edge edge{Ref<autograd::Node>(made), output++};
      if (i >= own_ && step_.changed[i - own_].tensor)
        autograd::rewrite(*step_.changed[i - own_].tensor, edge);
    }
    for (size_t i = 0; i < step_.changed.size(); ++i) {
      const CapturedVariable& what = step_.changed[i];
      if (of[own_ + i] || !what.tensor || is_state(what) || what.kind != CapturedVariable::Kind::kStorage)
        continue;
      if (autograd::requires_grad(*what.tensor)) autograd::rewrite(*what.tensor, {});
    }
  }

  GraphTracer& tracer_;
  const tracing::ControlFlowStep& step_;
  const size_t first_;  ///< the arguments that no function takes: the condition of an `if`
  const size_t own_;    ///< results that are no changed storages
  Flow flow_;
  std::vector<Edge> edges_;
};

class Tape final : public tracing::ControlFlowTape {
 public:
  Tape() { tracing::set_control_flow_tape(this); }
  void record(GraphTracer& tracer, const tracing::ControlFlowStep& step) override {
    Record(tracer, step).add();
  }
};
Tape tape;

}  // namespace

void find_reach(const ir::Node& node, Flow& flow) {
  flow.by = flow.leads;
  flow.of.assign(node.results.size(), false);
  if (node.kind == ir::NodeKind::kCall) {  // one gradient for every call, by everything
    for (size_t i = 0; i < flow.by.size(); ++i) flow.by[i] = may_vary(*node.functions[0]->params[i]);
    for (size_t i = 0; i < flow.of.size(); ++i) flow.of[i] = may_vary(*node.results[i]);
    return;
  }
  if (node.kind == ir::NodeKind::kIf) {
    const std::vector<bool> params(flow.by.begin() + 1, flow.by.end());
    for (const ir::Function* arm : node.functions)
      join(node, varying_results(*arm, params, Varying::kAll), flow);
    return;
  }
  for (bool grown = true; grown;) {
    grown = false;
    join(node, varying_results(*node.functions[1], flow.by, Varying::kAll), flow);
    for (size_t i = 0; i < flow.of.size(); ++i) {
      flow.of[i] = flow.of[i] || flow.by[i];
      if (flow.of[i] && !flow.by[i]) grown = flow.by[i] = true;
    }
  }
}

}  // namespace dyad::transforms
