#include "passes/hoist_invariant.h"

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ops/op.h"
#include "passes/effects.h"
#include "passes/memory.h"
#include "passes/substitute.h"
#include "passes/symbols.h"

namespace dyad::passes {

namespace {

using ir::Function;
using ir::GraphValue;
using ir::GraphValueRef;
using ir::Node;
using ir::NodeKind;

bool is_view(const Node& node) {
  const auto* op = dynamic_cast<const Op*>(node.op);
  return op && op->view;
}

/// A loop, and one of its functions: which of the function's values are the same in every turn.
class Hoisting {
 public:
  Hoisting(Function& outer, Function::Nodes::iterator loop, Function& inner, const ModuleMemory& module)
      : outer_(outer), loop_(loop), inner_(inner), memory_(inner, module) {
    const Node& node = **loop;
    for (size_t i = node.variables(); i < inner.params.size(); ++i) {
      outside_[inner.params[i].get()] = GraphValueRef(&ir::as_graph_value(*node.args[i].get<Value>()));
    }
    Symbols varying;
    for (size_t i = 0; i < inner.params.size(); ++i) {
      add_symbols(inner.params[i]->shape, i < node.variables() ? varying : sizes_outside_);
    }
    for (const int64_t symbol : varying) sizes_outside_.erase(symbol);
    const auto note = [&](const Value& value) { bound_.insert(memory_.group(*value)); };
    for (const auto& inside : inner.nodes) {
      if (inside->kind == NodeKind::kConstant) continue;
      for (size_t i = 0; i < inside->args.size(); ++i) {
        const bool seen = inside->kind == NodeKind::kHost || module.consumes(*inside, i);
        if (seen) ir::for_each_value(inside->args[i], note);
      }
    }
    for (const auto& result : inner.results) note(Value(result));
  }

  void run() {
    for (auto at = inner_.nodes.begin(); at != inner_.nodes.end();) {
      Node& node = **at;
      substitution_.apply(node);
      if (!is_invariant(node)) {
        ++at;
        continue;
      }
      if (node.kind == NodeKind::kConstant || is_view(node)) {
        waiting_[node.results[0].get()] = &node;  // goes out as well if somebody needs it there
        ++at;
        continue;
      }
      move_out(node);
      moved_.push_back(std::move(*at));  // the substitution still knows its results by their address
      at = inner_.nodes.erase(at);
    }
    substitution_.apply_to_end(inner_);
  }

 private:
  /// What was moved out is neither written nor given on; its memory was not looked at.
  bool is_bound(const ValueImpl& value) const {
    return !added_.contains(&value) && bound_.contains(memory_.group(value));
  }
  bool is_known_outside(const Value& value) const {
    return outside_.contains(value.get()) || waiting_.contains(value.get());
  }
  bool is_invariant(const Node& node) const {
    if (node.kind == NodeKind::kConstant) return true;
    if (!may_drop(node) || !may_merge(node)) return false;
    Symbols symbols;
    add_symbols(node, symbols);
    for (const int64_t symbol : symbols) {
      if (!sizes_outside_.contains(symbol)) return false;
    }
    for (const auto& result : node.results) {
      const bool movable =
          result->kind == GraphValue::Kind::kTensor || result->kind == GraphValue::Kind::kNumber;
      if (!movable || is_bound(*result)) return false;
    }
    bool known = true;
    for (const Arg& arg : node.args) {
      // A size that is open may be one that the loop defines anew in each turn.
      if (auto* sizes = arg.get<Dims>()) known = known && all_known(*sizes);
      ir::for_each_value(
          arg, [&](const Value& value) { known = known && is_known_outside(value) && !is_bound(*value); });
    }
    return known;
  }

  Value outside(const Value& value) {
    const auto found = outside_.find(value.get());
    if (found != outside_.end()) return Value(found->second);
    return Value(GraphValueRef(copied(*waiting_.at(value.get())).results[0]));
  }
  /// The node once more, before the loop.
  Node& copied(const Node& node) {
    std::vector<Arg> args;
    for (const Arg& arg : node.args) {
      if (node.kind == NodeKind::kConstant) {
        args.push_back(arg);
      } else if (auto* value = arg.get<Value>()) {
        args.emplace_back(outside(*value));
      } else if (auto* list = arg.get<ValueList>()) {
        ValueList members;
        for (const Value& value : *list) members.push_back(value ? outside(value) : Value());
        args.emplace_back(std::move(members));
      } else {
        args.push_back(arg);
      }
    }
    Node& made = outer_.insert_node(loop_, node.kind);
    made.op = node.op;
    made.constant = node.constant;
    made.location = node.location;
    made.args = std::move(args);
    for (const auto& result : node.results) {
      GraphValue& value = made.add_result(result->kind, result->dtype, result->shape, result->name);
      outside_[result.get()] = GraphValueRef(&value);
    }
    return made;
  }

  void move_out(const Node& node) {
    const Node& made = copied(node);
    Node& loop = **loop_;
    for (size_t i = 0; i < node.results.size(); ++i) {
      const GraphValue& result = *made.results[i];
      loop.args.emplace_back(Value(made.results[i]));
      for (Function* function : loop.functions) {
        GraphValue& param = function->add_param(result.kind, result.dtype, result.shape, result.name);
        if (function != &inner_) continue;
        outside_[&param] = made.results[i];
        added_.insert(&param);
        substitution_.replace(*node.results[i], Value(GraphValueRef(&param)));
      }
    }
  }

  Function& outer_;
  const Function::Nodes::iterator loop_;
  Function& inner_;
  const FunctionMemory memory_;
  Symbols sizes_outside_;             ///< that do not change from turn to turn
  std::unordered_set<size_t> bound_;  ///< groups that are written or leave the function
  std::unordered_set<const ValueImpl*> added_;
  std::unordered_map<const ValueImpl*, GraphValueRef> outside_;
  std::unordered_map<const ValueImpl*, const Node*> waiting_;
  Substitution substitution_;
  std::vector<std::unique_ptr<Node>> moved_;
};

class LoopWalk {
 public:
  explicit LoopWalk(ir::Module& module) : module_(module) {
    for (const auto& function : module.functions) {
      for (const auto& node : function->nodes) {
        for (const Function* callee : node->functions) ++users_[callee];
      }
    }
  }

  void run(Function& function) {
    if (!visited_.insert(&function).second) return;
    for (auto at = function.nodes.begin(); at != function.nodes.end(); ++at) {
      for (Function* callee : (*at)->functions) run(*callee);
      if ((*at)->kind != NodeKind::kWhile) continue;
      for (Function* part : (*at)->functions) {
        const bool shared = users_.at((*at)->functions[0]) > 1 || users_.at((*at)->functions[1]) > 1;
        if (!shared) Hoisting(function, at, *part, ModuleMemory(module_)).run();
      }
    }
  }

 private:
  ir::Module& module_;
  std::unordered_map<const Function*, size_t> users_;
  std::unordered_set<const Function*> visited_;
};

}  // namespace

void hoist_invariant(ir::Module& module) { LoopWalk(module).run(module.main()); }

}  // namespace dyad::passes
