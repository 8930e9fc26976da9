#include "passes/substitute.h"

namespace dyad::passes {

void Substitution::replace(Dim symbol, Dim by) {
  if (!(symbol == by)) symbols_.emplace_back(symbol, by);
}

Value Substitution::operator()(const Value& value) const {
  const auto found = values_.find(value.get());
  return found == values_.end() ? value : found->second;
}

ir::GraphValueRef Substitution::operator()(const ir::GraphValueRef& value) const {
  return ir::GraphValueRef(&ir::as_graph_value((*this)(Value(value))));
}

Dim Substitution::operator()(Dim dim) const {
  if (dim.known() || symbols_.empty()) return dim;
  for (const auto& [symbol, by] : symbols_) {
    if (symbol == dim) return by;
  }
  const DimParts parts = parts_of(dim);
  if (parts.kind == DimParts::Kind::kNamed) return dim;
  const Dim left = (*this)(parts.left);
  const Dim right = (*this)(parts.right);
  switch (parts.kind) {
    case DimParts::Kind::kAdd:
      return left + right;
    case DimParts::Kind::kMul:
      return left * right;
    case DimParts::Kind::kFloorDiv:
      return right == Dim(0) ? dim : floor_div(left, right);
    case DimParts::Kind::kMax:
      return max(left, right);
    case DimParts::Kind::kMin:
    case DimParts::Kind::kNamed:
      break;
  }
  return min(left, right);
}

Dims Substitution::operator()(const Dims& dims) const {
  Dims result = dims;
  for (Dim& dim : result) dim = (*this)(dim);
  return result;
}

Arg Substitution::operator()(const Arg& arg) const {
  if (auto* value = arg.get<Value>()) return (*this)(*value);
  if (auto* dims = arg.get<Dims>()) return (*this)(*dims);
  if (auto* list = arg.get<ValueList>()) {
    ValueList members;
    for (const Value& member : *list) members.push_back(member ? (*this)(member) : Value());
    return members;
  }
  return arg;
}

void Substitution::apply(ir::Node& node) const {
  if (empty() || node.kind == ir::NodeKind::kConstant) return;
  for (Arg& arg : node.args) arg = (*this)(arg);
  if (symbols_.empty()) return;
  for (const auto& result : node.results) result->shape = (*this)(result->shape);
}

void Substitution::apply_to_end(ir::Function& function) const {
  if (empty()) return;
  for (auto& result : function.results) result = (*this)(result);
  for (auto& update : function.updates) update.value = (*this)(update.value);
}

}  // namespace dyad::passes
