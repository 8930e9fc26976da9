#include "passes/region.h"

#include <algorithm>

#include "ops/infer.h"

namespace dyad::passes {

namespace {

using ir::GraphValue;
using ir::Node;

bool is_plain(const GraphValue& value) {
  return value.kind == GraphValue::Kind::kTensor && !is_complex(value.dtype);
}

/// Whether an operand of this shape is read in step with a result of that one: the sizes of each axis are
/// known to be equal, or the operand's is 1.
bool is_read_in_step(const Shape& operand, const Shape& result) {
  if (operand.size() > result.size()) return false;
  const size_t lead = result.size() - operand.size();
  for (size_t i = 0; i < operand.size(); ++i) {
    if (!(operand[i] == Dim(1)) && !(operand[i] == result[lead + i])) return false;
  }
  return true;
}

bool only_adds_or_drops_ones(const Shape& from, const Shape& to) {
  const auto without_ones = [](const Shape& shape) {
    Shape kept;
    for (Dim dim : shape) {
      if (!(dim == Dim(1))) kept.push_back(dim);
    }
    return kept;
  };
  return without_ones(from) == without_ones(to);
}

Role role_of_view(const Op& op, const Node& node) {
  const Value* given = node.args[0].get<Value>();
  const Shape& shape = node.results[0]->shape;
  if (op.movement == Movement::kCast)
    return given && (*given)->dtype != node.results[0]->dtype ? Role::kPointwise : Role::kNone;
  if (!given) return Role::kNone;
  bool moves = op.movement == Movement::kPermute;
  moves = moves || (op.movement == Movement::kBroadcast && is_read_in_step((*given)->shape, shape));
  moves = moves || (op.movement == Movement::kReshape && only_adds_or_drops_ones((*given)->shape, shape));
  return moves ? Role::kMovement : Role::kNone;
}

/// Whether there is something to fold and the operator cannot fail: the largest of no elements is an error.
bool folds_safely(const Op& op, const Node& node) {
  const Shape& shape = (*node.args[0].get<Value>())->shape;
  const bool may_fail = op.reduction == Reduction::kMax || op.reduction == Reduction::kMin;
  bool folds = false;
  for (const int64_t axis : reduced_axes(node)) {
    const Dim size = shape[static_cast<size_t>(axis)];
    folds = folds || !(size == Dim(1));
    if (may_fail && !size.known() && !size.open()) return false;
  }
  return folds;
}

/// Whether the rest of the arguments leaves the arithmetic to the scalar definition: operands come first and
/// nothing follows them.
bool has_only_operands(const Node& node) {
  const size_t operands = infer::operands(Arguments(node.op->name, node.args));
  return operands > 0 && std::all_of(node.args.begin() + static_cast<std::ptrdiff_t>(operands),
                                     node.args.end(), [](const Arg& arg) { return arg.none(); });
}

}  // namespace

Role role_of(const Node& node) {
  if (node.kind != ir::NodeKind::kOperator || node.results.size() != 1) return Role::kNone;
  auto* op = dynamic_cast<const Op*>(node.op);
  const GraphValue& result = *node.results[0];
  if (!op || op->random || op->checks_data || op->data_shape || op->writes >= 0 || !op->updates.empty() ||
      !is_plain(result)) {
    return Role::kNone;
  }
  bool plain = true;
  bool in_step = true;
  for (const Arg& arg : node.args) {
    ir::for_each_value(arg, [&](const Value& value) {
      plain = plain && is_plain(ir::as_graph_value(value));
      in_step = in_step && is_read_in_step(value->shape, result.shape);
    });
  }
  if (!plain) return Role::kNone;
  if (op->movement == Movement::kFill) return node.args[1].get<Scalar>() ? Role::kPointwise : Role::kNone;
  if (op->reduction != Reduction::kNone) return folds_safely(*op, node) ? Role::kReduction : Role::kNone;
  if (op->view) return role_of_view(*op, node);
  if (!op->elementwise) return Role::kNone;
  return in_step && has_only_operands(node) ? Role::kPointwise : Role::kNone;
}

Ints reduced_axes(const Node& node) {
  const Arguments args(node.op->name, node.args);
  return infer::axes(args, 1, args.in(0).rank());
}

}  // namespace dyad::passes
