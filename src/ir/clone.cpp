#include "ir/clone.h"

#include <unordered_map>

#include "base/error.h"

namespace dyad::ir {

namespace {

class Cloning {
 public:
  explicit Cloning(const Module& module) : module_(module), made_(std::make_shared<Module>()) {}

  std::shared_ptr<Module> run() {
    // Functions call each other in any order: all of them are there before the first is filled.
    for (const auto& function : module_.functions) {
      made_->functions.push_back(std::make_unique<Function>(function->name));
      functions_[function.get()] = made_->functions.back().get();
    }
    for (const auto& function : module_.functions) fill(*function, *functions_[function.get()]);
    return std::move(made_);
  }

 private:
  void fill(const Function& function, Function& made) {
    made.fused = function.fused;
    for (size_t i = 0; i < function.params.size(); ++i) {
      const GraphValue& param = *function.params[i];
      note(param, made.add_param(param.kind, param.dtype, param.shape, param.name, function.state[i]));
    }
    for (const auto& node : function.nodes) add(*node, made);
    for (const GraphValueRef& result : function.results) made.results.push_back(at(*result));
    for (const Function::Update& update : function.updates) {
      made.updates.push_back({update.index, at(*update.value)});
    }
  }

  void add(const Node& node, Function& function) {
    Node& made = function.add_node(node.kind);
    made.op = node.op;
    made.host = node.host;
    made.payload = node.payload;
    made.constant = node.constant;
    made.location = node.location;
    made.args.reserve(node.args.size());
    for (const Arg& arg : node.args) made.args.push_back(of(arg));
    for (Function* callee : node.functions) made.functions.push_back(functions_.at(callee));
    for (const GraphValueRef& result : node.results) {
      note(*result, made.add_result(result->kind, result->dtype, result->shape, result->name));
    }
  }

  void note(const GraphValue& value, GraphValue& made) { values_[&value] = GraphValueRef(&made); }
  GraphValueRef at(const GraphValue& value) const { return values_.at(&value); }
  Value of(const Value& value) const {
    return !value || value->data ? value : Value(at(as_graph_value(value)));
  }
  Arg of(const Arg& arg) const {
    if (auto* value = arg.get<Value>()) return of(*value);
    auto* list = arg.get<ValueList>();
    if (!list) return arg;
    ValueList members;
    for (const Value& value : *list) members.push_back(of(value));
    return members;
  }

  const Module& module_;
  std::shared_ptr<Module> made_;
  std::unordered_map<const Function*, Function*> functions_;
  std::unordered_map<const ValueImpl*, GraphValueRef> values_;
};

}  // namespace

std::shared_ptr<Module> clone(const Module& module) { return Cloning(module).run(); }

}  // namespace dyad::ir
