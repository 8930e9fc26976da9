#pragma once

#include "base/error.h"
#include "ir/graph.h"
#include "ops/op.h"

namespace dyad::passes {

/// Puts operators before a place of a function. Nodes get the location of the node they stand for.
class Insertion {
 public:
  Insertion(ir::Function& function, ir::Function::Nodes::iterator place, const ir::Location& location)
      : function_(function), place_(place), location_(location) {}

  ValueList all(std::string_view name, std::vector<Arg> args) const {
    const Op& op = OpTable::instance().get(name);
    const std::vector<ResultSpec> inferred = op.infer_results(args);
    ir::Node& node = function_.insert_node(place_, ir::NodeKind::kOperator);
    node.op = &op;
    node.args = std::move(args);
    node.location = location_;
    ValueList results;
    for (const ResultSpec& result : inferred) {
      results.push_back(Value(&node.add_result(ir::GraphValue::Kind::kTensor, result.dtype, result.shape)));
    }
    return results;
  }
  Value operator()(std::string_view name, std::vector<Arg> args) const {
    return all(name, std::move(args)).front();
  }

 private:
  ir::Function& function_;
  ir::Function::Nodes::iterator place_;
  const ir::Location& location_;
};

}  // namespace dyad::passes
