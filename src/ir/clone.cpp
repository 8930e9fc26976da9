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
      functions_[function.get()] = &made_->add_function(function->name);
    }
    for (const auto& function : module_.functions) fill(*function, *functions_[function.get()]);
    return std::move(made_);
  }

 private:
  void fill(const Function& function, Function& made) {
    made.fused = function.fused;
    for (size_t i = 0; i < function.params.size(); ++i) {
      const GraphValue& param = *function.params[i];
      GraphValue& again = made.add_param(param.kind, param.dtype, param.shape, param.name, function.state[i]);
      again.strides = param.strides;
      note(param, again);
    }
    for (const auto& node : function.nodes) add(*node, made);
    for (const GraphValueRef& result : function.results) made.results.push_back(at(*result));
    for (const Function::Update& update : function.updates) {
      made.updates.push_back({update.index, at(*update.value)});
    }
  }

  void add(const Node& node, Function& function) {
    Node& made = function.add_node(node.kind);
    copy_node(node, made, map_arguments(node, [&](const Value& value) { return at(*value); }));
    for (Function*& callee : made.functions) callee = functions_.at(callee);
    for (size_t i = 0; i < node.results.size(); ++i) note(*node.results[i], *made.results[i]);
  }

  void note(const GraphValue& value, GraphValue& made) { values_[&value] = GraphValueRef(&made); }
  GraphValueRef at(const ValueImpl& value) const { return values_.at(&value); }

  const Module& module_;
  std::shared_ptr<Module> made_;
  std::unordered_map<const Function*, Function*> functions_;
  std::unordered_map<const ValueImpl*, GraphValueRef> values_;
};

}  // namespace

void copy_node(const Node& from, Node& to, std::vector<Arg> args) {
  to.op = from.op;
  to.host = from.host;
  to.payload = from.payload;
  to.constant = from.constant;
  to.functions = from.functions;
  to.location = from.location;
  to.args = std::move(args);
  for (const GraphValueRef& result : from.results) {
    to.add_result(result->kind, result->dtype, result->shape, result->name);
  }
}

std::shared_ptr<Module> clone(const Module& module) { return Cloning(module).run(); }

}  // namespace dyad::ir
