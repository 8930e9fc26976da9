#include <algorithm>

#include "passes/simplify_rules.h"

namespace dyad::passes {

namespace {

const Value& input(const Node& node) { return value_at(node, 0); }

/// A look at the whole of a tensor under its own shape and dtype.
Simpler unchanged(Node& node) {
  return same_type(*input(node), *node.results[0]) ? Simpler::shown(input(node)) : Simpler::no();
}

/// The axes of the operand in the order of the result, none of them negative.
Ints order_of(const Node& node) {
  const auto rank = static_cast<int64_t>(node.results[0]->shape.size());
  Ints order;
  for (const Dim axis : *node.args[1].get<Dims>()) {
    order.push_back(axis.value() < 0 ? axis.value() + rank : axis.value());
  }
  return order;
}

Simpler permuted(Node& node) {
  Ints order = order_of(node);
  const Node* inner = made_by(node.args[0], Movement::kPermute);
  const Value from = inner ? input(*inner) : input(node);
  if (inner) {
    const Ints before = order_of(*inner);
    for (int64_t& axis : order) axis = before[static_cast<size_t>(axis)];
  }
  if (std::is_sorted(order.begin(), order.end())) return Simpler::shown(from);
  if (!inner) return Simpler::no();
  node.args[0] = from;
  Dims axes;
  for (const int64_t axis : order) axes.push_back(axis);
  node.args[1] = std::move(axes);
  return Simpler::changed();
}

/// Whether the value lies in row-major order, so that a reshape of it is only another look.
bool is_row_major(const Value& value) {
  const Node* producer = ir::producer_of(value);
  if (!producer || !is_view(*producer)) return true;
  return table_op(*producer)->movement == Movement::kReshape && is_row_major(input(*producer));
}

Simpler reshaped(Node& node) {
  if (!is_row_major(input(node))) {
    return same_type(*input(node), *node.results[0]) ? Simpler::shown(input(node)) : Simpler::no();
  }
  const Node* inner = made_by(node.args[0], Movement::kReshape);
  const Value from = inner ? input(*inner) : input(node);
  if (same_type(*from, *node.results[0])) return Simpler::shown(from);
  if (!inner) return Simpler::no();
  node.args[0] = from;
  node.args[1] = node.results[0]->shape;
  return Simpler::changed();
}

Simpler broadcast(Node& node) {
  if (same_type(*input(node), *node.results[0])) return Simpler::shown(input(node));
  const Node* inner = made_by(node.args[0], Movement::kBroadcast);
  if (!inner) return Simpler::no();
  node.args[0] = inner->args[0];
  node.args[1] = node.results[0]->shape;
  return Simpler::changed();
}

/// Whether every number of one dtype is a number of the other.
bool holds_all(DType wide, DType narrow) {
  if (narrow == DType::kBool) return !is_complex(wide);
  if (is_float(narrow)) {
    const bool short_float = narrow == DType::kFloat16 || narrow == DType::kBFloat16;
    return wide == DType::kFloat64 || (wide == DType::kFloat32 && short_float);
  }
  if (!is_int(narrow)) return false;
  const int64_t bits = 8 * itemsize(narrow);
  if (wide == DType::kFloat32) return bits <= 16;
  if (wide == DType::kFloat64) return bits <= 32;
  const bool fits = is_signed_int(wide) || is_unsigned_int(narrow);
  return is_int(wide) && fits && itemsize(wide) > itemsize(narrow);
}

Simpler converted(Node& node) {
  auto* value = node.args[0].get<Value>();
  if (!value) return Simpler::no();
  if (same_type(**value, *node.results[0])) return Simpler::shown(*value);
  const Node* inner = made_by(node.args[0], Movement::kCast);
  auto* from = inner ? inner->args[0].get<Value>() : nullptr;
  if (!from || !holds_all((*value)->dtype, (*from)->dtype)) return Simpler::no();
  if (same_type(**from, *node.results[0])) return Simpler::same(*from);
  if (!is_float(node.results[0]->dtype)) return Simpler::no();
  node.args[0] = *from;
  return Simpler::changed();
}

Simpler sliced(Node& node) {
  const Dims& steps = *node.args[3].get<Dims>();
  const bool forward = std::all_of(steps.begin(), steps.end(), [](Dim step) { return step == Dim(1); });
  return forward ? unchanged(node) : Simpler::no();
}

Simpler joined(Node& node) {
  const ValueList& parts = *node.args[0].get<ValueList>();
  const bool alone = parts.size() == 1 && same_type(*parts[0], *node.results[0]);
  return alone ? Simpler::same(parts[0]) : Simpler::no();
}

constexpr MovementRule kRules[] = {
    {Movement::kIdentity, unchanged},  {Movement::kPermute, permuted}, {Movement::kReshape, reshaped},
    {Movement::kBroadcast, broadcast}, {Movement::kCast, converted},   {Movement::kJoin, joined},
    {Movement::kSlice, sliced},
};

}  // namespace

std::span<const MovementRule> movement_rules() { return kRules; }

}  // namespace dyad::passes
