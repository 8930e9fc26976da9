#pragma once

#include <unordered_map>

#include "ir/graph.h"
#include "ops/op.h"

namespace dyad {

/// Adds operators to a function of a graph instead of running them. Bodies and gradient rules that are run
/// with it become nodes; the values they see are those of the graph.
///
/// An operator that is nothing but a composition is written out as the operators of its body. An operator
/// that writes in place gives a new value here: a graph has no memory to overwrite.
class GraphBuilder final : public Builder {
 public:
  /// Nodes are added at the end of `function`, whose values lead to this builder as long as it lives.
  explicit GraphBuilder(ir::Function& function);
  ~GraphBuilder() override;
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  void apply(const Op& op, std::span<const Arg> args, ValueList& results) override;
  Value apply_one(const Op& op, std::span<const Arg> args) override;

  /// The place in the program that nodes added from now on come from.
  ir::Location location;

 private:
  Arg in_graph(const Arg& arg);
  Value in_graph(const Value& value);

  ir::Function& function_;
  /// Tensors that are known now and the constants made of them; kept alive, so that an address means one
  /// tensor.
  std::unordered_map<const ValueImpl*, std::pair<Value, Value>> constants_;
};

}  // namespace dyad
