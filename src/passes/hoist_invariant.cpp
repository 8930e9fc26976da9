#include "passes/hoist_invariant.h"

#include <algorithm>
#include <unordered_map>

#include "ir/calls.h"
#include "passes/effects.h"
#include "passes/memory.h"
#include "passes/rewrite.h"
#include "passes/symbols.h"

namespace dyad::passes {

namespace {

/// A loop, and one of its functions: which of the function's values are the same in every turn.
class Hoisting {
 public:
  Hoisting(Rewriter& outer, Node& loop, Function& inner, const ModuleMemory& module)
      : outer_(outer),
        loop_(loop),
        inner_(inner),
        memory_(inner, module),
        bound_(memory_.groups_written_or_shown()) {
    const size_t carried = ir::carried_count(loop);
    for (size_t i = carried; i < inner.params.size(); ++i) {
      outside_[inner.params[i].get()] = value_at(loop, i);
    }
    Symbols varying;
    for (size_t i = 0; i < inner.params.size(); ++i) {
      add_symbols(inner.params[i]->shape, i < carried ? varying : sizes_outside_);
    }
    for (const int64_t symbol : varying) sizes_outside_.erase(symbol);
    for (const auto& result : inner.results) bound_.insert(memory_.group(*result));
  }

  void run() {
    outer_.set_insertion_point(loop_);
    inner_.walk([&](Node& node) {
      if (!is_invariant(node)) return;
      if (node.kind == NodeKind::kConstant || is_view(node)) {
        waiting_[node.results[0].get()] = &node;  // goes out as well if it is needed there
      } else {
        move_out(node);
      }
    });
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
    return found != outside_.end() ? found->second : copied(*waiting_.at(value.get())).results[0];
  }
  /// The node once more, before the loop.
  Node& copied(const Node& node) {
    Node& made = outer_.insert_copy(node, [&](const Value& value) { return outside(value); });
    for (size_t i = 0; i < node.results.size(); ++i) outside_[node.results[i].get()] = made.results[i];
    return made;
  }

  void move_out(Node& node) {
    const Node& made = copied(node);
    ValueList inside;
    for (const auto& result : made.results) {
      loop_.args.emplace_back(Value(result));
      for (Function* function : loop_.functions) {
        GraphValue& param = function->add_param(result->kind, result->dtype, result->shape, result->name);
        if (function != &inner_.function()) continue;
        outside_[&param] = result;
        added_.insert(&param);
        inside.emplace_back(&param);
      }
    }
    outer_.arguments_changed(loop_);
    inner_.replace(node, inside);
  }

  Rewriter& outer_;
  Node& loop_;
  Rewriter inner_;
  const FunctionMemory memory_;
  Symbols sizes_outside_;             ///< that do not change from turn to turn
  std::unordered_set<size_t> bound_;  ///< groups that are written or leave the function
  std::unordered_set<const ValueImpl*> added_;
  std::unordered_map<const ValueImpl*, Value> outside_;
  std::unordered_map<const ValueImpl*, const Node*> waiting_;
};

class LoopWalk {
 public:
  explicit LoopWalk(ir::Module& module) : module_(module), sites_(ir::count_call_sites(module)) {}

  void run(Function& function) {
    if (!visited_.insert(&function).second) return;
    for (const auto& node : function.nodes) {
      for (Function* callee : node->functions) run(*callee);
    }
    const auto& nodes = function.nodes;
    if (std::ranges::none_of(nodes, [](const auto& node) { return ir::is_loop(*node); })) return;
    Rewriter rewriter(function);
    rewriter.walk([&](Node& node) {
      if (ir::is_loop(node)) hoist(rewriter, node);
    });
  }

 private:
  void hoist(Rewriter& rewriter, Node& loop) {
    for (Function* part : loop.functions) {
      const bool shared = sites_.at(loop.functions[0]) > 1 || sites_.at(loop.functions[1]) > 1;
      if (!shared) Hoisting(rewriter, loop, *part, ModuleMemory(module_)).run();
    }
  }

  ir::Module& module_;
  const std::unordered_map<const Function*, size_t> sites_;
  std::unordered_set<const Function*> visited_;
};

}  // namespace

void hoist_invariant(ir::Module& module) { LoopWalk(module).run(module.main()); }

}  // namespace dyad::passes
