#pragma once

#include <unordered_map>

#include "ir/graph.h"

namespace dyad::passes {

/// Values that stand for others, and sizes that stand for symbols. A pass walks a function once and applies
/// it to each node as it comes.
class Substitution {
 public:
  void replace(const ValueImpl& old, Value by) { values_[&old] = std::move(by); }
  void replace(Dim symbol, Dim by);
  bool empty() const { return values_.empty() && symbols_.empty(); }

  Value operator()(const Value& value) const;
  Dim operator()(Dim dim) const;
  Dims operator()(const Dims& dims) const;
  Arg operator()(const Arg& arg) const;
  ir::GraphValueRef operator()(const ir::GraphValueRef& value) const;
  /// Arguments and the shapes of results.
  void apply(ir::Node& node) const;
  /// Results and updates.
  void apply_to_end(ir::Function& function) const;

 private:
  std::unordered_map<const ValueImpl*, Value> values_;
  std::vector<std::pair<Dim, Dim>> symbols_;
};

}  // namespace dyad::passes
