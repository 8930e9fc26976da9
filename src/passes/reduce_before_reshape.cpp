#include "passes/reduce_before_reshape.h"

#include <algorithm>
#include <optional>

#include "passes/region.h"
#include "passes/rewrite.h"

namespace dyad::passes {

namespace {

/// The node's operand before a reshape that makes it; null if none does or if that would not be fused either.
const Value* before_reshape(const Node& node) {
  const Node* view = ir::producer_of(node.args[0]);
  if (!view || !moves(*view, Movement::kReshape)) return nullptr;
  const Value* value = view->args[0].get<Value>();
  const Node* producer = ir::producer_of(*value);
  const bool fuses = producer && role_of(*producer) == Role::kPointwise;
  return fuses && all_known((*value)->shape) ? value : nullptr;
}

/// The axes of `from` that were merged into the axes `reduced` of `to`; nothing where axes were cut, or where
/// others than these were merged.
std::optional<Dims> axes_before(const Shape& from, const Shape& to, const Ints& reduced) {
  Dims axes;
  size_t next = 0;
  for (size_t i = 0; i < to.size(); ++i) {
    const size_t first = next;
    int64_t size = 1;
    while (next < from.size() && size < to[i].value()) size *= from[next++].value();
    if (next == first && next < from.size() && from[next] == Dim(1)) ++next;
    const bool folded = std::ranges::find(reduced, static_cast<int64_t>(i)) != reduced.end();
    if (size != to[i].value() || next == first || (!folded && next != first + 1)) return std::nullopt;
    for (size_t axis = first; axis < next && folded; ++axis) axes.push_back(static_cast<int64_t>(axis));
  }
  return next == from.size() ? std::optional(axes) : std::nullopt;
}

void look_before(Node& node) {
  if (role_of(node) != Role::kReduction || node.args[2].get<Scalar>()->to_bool()) return;
  const Value* value = before_reshape(node);
  const Shape& seen = (*node.args[0].get<Value>())->shape;
  if (!value || !all_known(seen) || numel(seen) == 0) return;
  const std::optional<Dims> axes = axes_before((*value)->shape, seen, reduced_axes(node));
  if (!axes) return;
  node.args[0] = *value;
  node.args[1] = *axes;
}

}  // namespace

void reduce_before_reshape(ir::Module& module) {
  for (const auto& function : module.functions) {
    for (const auto& node : function->nodes) look_before(*node);
  }
}

}  // namespace dyad::passes
