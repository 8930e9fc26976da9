#include "ir/graph.h"

#include "base/error.h"

namespace dyad::ir {

namespace {

GraphValueRef make_value(GraphValue::Kind kind, DType dtype, Shape shape, std::string name) {
  GraphValueRef value(new GraphValue);
  value->kind = kind;
  value->dtype = dtype;
  value->shape = std::move(shape);
  value->name = std::move(name);
  return value;
}

Value replaced(const Value& value, const GraphValue& old, const GraphValueRef& replacement) {
  return value.get() == &old ? Value(replacement) : value;
}

}  // namespace

Builder& GraphValue::builder() const {
  DYAD_ASSERT(function && function->builder);
  return *function->builder;
}

GraphValue& as_graph_value(const Value& value) {
  DYAD_ASSERT(value && !value->data);
  return static_cast<GraphValue&>(*value);
}

GraphValue::Kind result_kind(const Operator& op, size_t result) {
  if (op.gives_number()) return GraphValue::Kind::kNumber;
  return op.gives_residual_stack(result) ? GraphValue::Kind::kResidualStack : GraphValue::Kind::kTensor;
}

std::string type_text(const GraphValue& value) {
  if (value.kind == GraphValue::Kind::kToken) return "token";
  if (value.kind == GraphValue::Kind::kNumber) return cat("number ", dtype_name(value.dtype));
  std::string text(value.kind == GraphValue::Kind::kResidualStack ? "residual_stack " : "");
  text += cat(dtype_name(value.dtype), "[");
  for (size_t i = 0; i < value.shape.size(); ++i) text += cat(i ? ", " : "", value.shape[i]);
  return text + "]";
}

GraphValue& Node::add_result(GraphValue::Kind result, DType dtype, Shape shape, std::string name) {
  GraphValueRef value = make_value(result, dtype, std::move(shape), std::move(name));
  value->producer = this;
  value->function = function;
  value->index = static_cast<uint32_t>(results.size());
  results.push_back(std::move(value));
  return *results.back();
}

GraphValue& Function::add_param(GraphValue::Kind kind, DType dtype, Shape shape, std::string param_name,
                                bool is_state) {
  GraphValueRef value = make_value(kind, dtype, std::move(shape), std::move(param_name));
  value->function = this;
  value->index = static_cast<uint32_t>(params.size());
  params.push_back(std::move(value));
  state.push_back(is_state);
  return *params.back();
}

Node& Function::add_node(NodeKind kind) { return insert_node(nodes.end(), kind); }

Node& Function::insert_node(Nodes::iterator place, NodeKind kind) {
  return **nodes.insert(place, std::make_unique<Node>(kind, *this));
}

void Function::replace_uses(const GraphValue& old, const GraphValueRef& replacement) {
  for (const auto& node : nodes) {
    for (Arg& arg : node->args) {
      if (auto* value = arg.get<Value>()) {
        arg = replaced(*value, old, replacement);
      } else if (auto* list = arg.get<ValueList>()) {
        ValueList members;
        for (const Value& value : *list) members.push_back(replaced(value, old, replacement));
        arg = std::move(members);
      }
    }
  }
  for (GraphValueRef& result : results) {
    if (result.get() == &old) result = replacement;
  }
  for (Update& update : updates) {
    if (update.value.get() == &old) update.value = replacement;
  }
}

Function& Module::add_function(const std::string& name) {
  std::string free = name;
  while (by_name_.contains(free)) free = cat(name, "_", ++last_numbers_[name]);
  functions.push_back(std::make_unique<Function>(free));
  return *(by_name_[std::move(free)] = functions.back().get());
}

Function* Module::find(const std::string& name) const {
  auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

}  // namespace dyad::ir
