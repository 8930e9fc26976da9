#include "ops/graph_builder.h"

#include "base/error.h"
#include "ops/placeholder.h"

namespace dyad {

using ir::GraphValue;

GraphBuilder::GraphBuilder(ir::Function& function) : function_(function) {
  DYAD_ASSERT(!function.builder);
  function.builder = this;
}

GraphBuilder::~GraphBuilder() { function_.builder = nullptr; }

void GraphBuilder::apply(const Op& op, std::span<const Arg> args, ValueList& results) {
  const bool composed = op.body && (!op.infer || (op.writes >= 0 && !op.grad));
  if (composed) return op.body(Call(Arguments(op.name, args), *this), results);
  std::vector<Arg> inside;
  inside.reserve(args.size());
  for (const Arg& arg : args) inside.push_back(in_graph(arg));
  Results inferred;
  op.infer(Arguments(op.name, inside), inferred);
  ir::Node& node = function_.add_node(ir::NodeKind::kOperator);
  node.op = &op;
  node.args = std::move(inside);
  node.location = location;
  for (size_t i = 0; i < inferred.size(); ++i) {
    GraphValue& made =
        node.add_result(GraphValue::Kind::kTensor, inferred[i].dtype, std::move(inferred[i].shape));
    results.push_back(Value(&made));
  }
}

Value GraphBuilder::apply_one(const Op& op, std::span<const Arg> args) {
  ValueList results;
  apply(op, args, results);
  return std::move(results.front());
}

Arg GraphBuilder::in_graph(const Arg& arg) {
  if (auto* value = arg.get<Value>()) return in_graph(*value);
  if (auto* list = arg.get<ValueList>()) {
    ValueList members;
    for (const Value& value : *list) members.push_back(value ? in_graph(value) : Value());
    return members;
  }
  return arg;
}

Value GraphBuilder::in_graph(const Value& value) {
  if (!value->data) return value;
  auto [found, added] = constants_.try_emplace(value.get(), value, Value());
  if (added) {
    ir::Node& node = function_.add_node(ir::NodeKind::kConstant);
    node.args = {value};
    node.location = location;
    found->second.second = Value(&node.add_result(GraphValue::Kind::kTensor, value->dtype, value->shape));
  }
  return found->second.second;
}

}  // namespace dyad
