#include "passes/effects.h"

#include "ops/number_operator.h"
#include "passes/rewrite.h"

namespace dyad::passes {

namespace {

bool writes(const Operator& op, size_t arguments) {
  for (size_t i = 0; i < arguments; ++i) {
    if (op.consumes(i)) return true;
  }
  return false;
}

/// Integers that are no operands of arithmetic may be indices, labels or lengths, which kernels check.
bool checks_integers(const Op& op, const Node& node) {
  if (op.elementwise || op.view) return false;
  bool found = false;
  for (size_t i = 0; i < node.args.size(); ++i) {
    if (!op.reads_data(i)) continue;
    ir::for_each_value(node.args[i], [&](const Value& value) { found = found || is_int(value->dtype); });
  }
  return found;
}

/// Whether the operator, no number's, raises for some data.
bool tensors_may_raise(const Node& node) {
  if (auto* intrinsic = dynamic_cast<const Intrinsic*>(node.op)) {
    if (intrinsic->task == Intrinsic::Task::kDefineSymbol) return true;  // it acts by its symbol
    auto* value = node.args[0].get<Value>();
    return intrinsic->task == Intrinsic::Task::kNumberOf && !(all_known((*value)->shape));
  }
  const auto& op = static_cast<const Op&>(*node.op);
  if (op.checks_data || checks_integers(op, node)) return true;
  // Symbolic dimensions are checked when the graph runs.
  for (const auto& result : node.results) {
    if (!all_known(result->shape)) return true;
  }
  return false;
}

bool may_raise(const Node& node) {
  auto* number = dynamic_cast<const NumberOperator*>(node.op);
  return number ? number->may_raise() : tensors_may_raise(node);
}

bool is_random(const Node& node) {
  const Op* op = table_op(node);
  return op && op->random;
}

}  // namespace

bool checks_data(const Node& node) {
  if (node.kind != NodeKind::kOperator) return false;
  auto* number = dynamic_cast<const NumberOperator*>(node.op);
  return number ? number->may_raise_in_python(node.args) : tensors_may_raise(node);
}

bool may_drop(const Node& node) {
  if (node.kind == NodeKind::kConstant) return true;
  if (node.kind != NodeKind::kOperator) return false;
  return !writes(*node.op, node.args.size()) && !is_random(node) && !may_raise(node);
}

bool may_merge(const Node& node) {
  if (node.kind == NodeKind::kConstant) return true;
  if (node.kind != NodeKind::kOperator || is_random(node)) return false;
  if (auto* intrinsic = dynamic_cast<const Intrinsic*>(node.op)) {
    if (intrinsic->task == Intrinsic::Task::kDefineSymbol) return false;
  }
  if (auto* op = dynamic_cast<const Op*>(node.op); op && op->data_shape) return false;
  return !writes(*node.op, node.args.size());
}

}  // namespace dyad::passes
