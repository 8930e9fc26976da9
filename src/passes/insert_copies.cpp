#include "passes/insert_copies.h"

#include <algorithm>
#include <unordered_map>

#include "ir/calls.h"
#include "ops/number_operator.h"
#include "passes/memory.h"
#include "passes/rewrite.h"

namespace dyad::passes {

namespace {

bool is_tensor(const GraphValue& value) { return value.kind == GraphValue::Kind::kTensor; }
bool is_write_back(const Node& node) { return is_op(node, "write_view"); }
/// Of an argument that is not read only the place in memory matters.
bool reads(const Node& node, size_t argument) {
  return node.kind != NodeKind::kOperator || node.op->reads(argument);
}

class CopyInserter {
 public:
  CopyInserter(Function& function, const ModuleMemory& module, bool is_main)
      : function_(function), rewriter_(function), module_(module), is_main_(is_main) {}

  size_t run() {
    copy_written_constants(FunctionMemory(function_, module_));
    const FunctionMemory memory(function_, module_);
    list_members(memory);
    rewriter_.walk([&](Node& node) {
      for (size_t i = 0; i < node.args.size(); ++i) {
        if (module_.consumes(node, i)) protect(memory, node, i);
      }
    });
    if (is_main_) copy_given_constants(memory);
    return copies_;
  }

  /// The body of a loop gives the next round its variables. One that is written must not share its memory
  /// with another variable, nor with what stays the same in every round.
  size_t separate_carried(const std::vector<bool>& written) {
    const FunctionMemory memory(function_, module_);
    std::unordered_map<size_t, size_t> members;  // how many values behind a round lie in each group
    const auto add = [&](const GraphValue& value) {
      if (is_tensor(value) && memory.knows(value)) ++members[memory.group(value)];
    };
    for (const auto& result : function_.results) add(*result);
    for (size_t i = function_.results.size(); i < function_.params.size(); ++i) add(*function_.params[i]);
    for (size_t i = 0; i < function_.results.size(); ++i) {
      const GraphValue& result = *function_.results[i];
      // Copies made here are unknown to the analysis: they lie in memory of their own.
      if (!written[i] || !is_tensor(result) || !memory.knows(result)) continue;
      size_t& count = members[memory.group(result)];
      if (count < 2 && !memory.has_constant(result)) continue;
      --count;
      rewriter_.set_insertion_point_to_end();
      function_.results[i] = copy(*function_.results[i]);
    }
    rewriter_.results_changed();
    return copies_;
  }

 private:
  /// A copy at the insertion point.
  GraphValueRef copy(const GraphValue& value) {
    ++copies_;
    return rewriter_.insert(op_named("copy"), {Value(const_cast<GraphValue*>(&value))}).results[0];
  }

  /// Memory of constants, here or of a function that was called, is copied where it comes from if anything
  /// that may lie in it is written.
  void copy_written_constants(const FunctionMemory& memory) {
    const std::unordered_set<size_t> written = memory.groups_written();
    if (written.empty()) return;
    rewriter_.walk([&](Node& node) {
      if (node.kind != NodeKind::kConstant && !ir::has_callees(node)) return;
      for (const GraphValueRef& result : node.results) {
        if (!is_tensor(*result) || !may_be_constant(node, result->index)) continue;
        if (!written.contains(memory.group(*result))) continue;
        rewriter_.set_insertion_point_after(node);
        const GraphValueRef copied = copy(*result);
        rewriter_.replace_uses_if(*result, copied,
                                  [&](const Node* user, size_t) { return user != copied->producer; });
      }
    });
  }
  bool may_be_constant(const Node& node, size_t result) const {
    if (node.kind == NodeKind::kConstant) return true;
    for (const ir::Callee& callee : ir::callees_of(node)) {
      if (callee.gives_results() && module_.of(*callee.function).results[result].constant) return true;
    }
    return false;
  }

  /// Copies made by this pass are unknown to the analysis: they lie in memory of their own.
  void copy_given_constants(const FunctionMemory& memory) {
    rewriter_.set_insertion_point_to_end();
    std::unordered_map<const GraphValue*, GraphValueRef> copied;
    for (GraphValueRef& result : function_.results) {
      if (!is_tensor(*result) || !memory.knows(*result) || !memory.has_constant(*result)) continue;
      GraphValueRef& made = copied[result.get()];
      if (!made) made = copy(*result);
      result = made;
    }
    rewriter_.results_changed();
  }

  void protect(const FunctionMemory& memory, Node& node, size_t argument) {
    ir::for_each_value(Arg(node.args[argument]), [&](const Value& value) {
      const GraphValue& target = ir::as_graph_value(value);
      if (is_tensor(target) && memory.knows(target)) protect(memory, node, argument, target);
    });
  }

  void protect(const FunctionMemory& memory, Node& node, size_t argument, const GraphValue& target) {
    if (is_write_back(node)) return;  // the write happened where `value` was made
    if (!memory.origin(target) && !is_written_back(memory, node, target)) {
      // A view whose base is not meant: what is written is memory of its own.
      if (!shares_with_others(memory, target)) return;
      rewriter_.replace_uses_if(target, copy(target),
                                [&](const Node* user, size_t i) { return user == &node && i == argument; });
      return;
    }
    if (ir::has_callees(node)) separate_arguments(memory, node, argument, target);
    const auto is_later = [&](const Node* user, size_t i) {
      return !user || (rewriter_.comes_before(node, *user) && reads(*user, i));
    };
    for (const GraphValue* other : members_.at(memory.group(target))) {
      const bool is_there = !other->producer || rewriter_.comes_before(*other->producer, node);
      if (is_there && is_used(*other, is_later)) rewriter_.replace_uses_if(*other, copy(*other), is_later);
    }
  }

  /// Whether there is a use of the value that the predicate accepts.
  template <class Accepts>
  bool is_used(const GraphValue& value, const Accepts& accepts) const {
    bool found = rewriter_.is_returned(value) && accepts(nullptr, 0);
    rewriter_.for_each_user(value, [&](const Node& user) {
      for (size_t i = 0; i < user.args.size() && !found; ++i) {
        ir::for_each_value(user.args[i], [&](const Value& used) {
          found = found || (used.get() == &value && accepts(&user, i));
        });
      }
    });
    return found;
  }

  /// The tensors of each group of memory. Copies that are added later lie in memory of their own.
  void list_members(const FunctionMemory& memory) {
    const auto add = [&](const GraphValueRef& value) {
      if (is_tensor(*value)) members_[memory.group(*value)].push_back(value.get());
    };
    for (const auto& param : function_.params) add(param);
    for (const auto& node : function_.nodes) {
      for (const auto& result : node->results) add(result);
    }
  }

  bool shares_with_others(const FunctionMemory& memory, const GraphValue& target) const {
    if (memory.has_param(target) || memory.has_constant(target)) return true;
    const auto reads_it = [](const Node* user, size_t i) { return !user || reads(*user, i); };
    for (const GraphValue* other : members_.at(memory.group(target))) {
      if (other != &target && is_used(*other, reads_it)) return true;
    }
    return false;
  }

  /// Whether what is written here goes back into the base of the view: a version that follows from the write
  /// is written back. Another view of the same base does not count.
  bool is_written_back(const FunctionMemory& memory, const Node& node, const GraphValue& target) const {
    std::unordered_set<const ValueImpl*> versions;
    std::vector<const GraphValue*> waiting;
    const auto add_versions = [&](const Node& from) {
      for (const GraphValueRef& result : from.results) {
        const bool shares = is_tensor(*result) && memory.knows(*result) && memory.may_share(*result, target);
        if (shares && versions.insert(result.get()).second) waiting.push_back(result.get());
      }
    };
    add_versions(node);
    bool found = false;
    while (!waiting.empty() && !found) {
      const GraphValue* version = waiting.back();
      waiting.pop_back();
      rewriter_.for_each_user(*version, [&](const Node& user) {
        found = found || (is_write_back(user) && value_at(user, 1).get() == version);
        add_versions(user);
      });
    }
    return found;
  }

  /// A function that writes one argument must not find the same memory behind another one.
  void separate_arguments(const FunctionMemory& memory, Node& node, size_t argument,
                          const GraphValue& target) {
    for (size_t i = 0; i < node.args.size(); ++i) {
      auto* value = node.args[i].get<Value>();
      if (i == argument || !value) continue;
      const GraphValue& other = ir::as_graph_value(*value);
      if (!is_tensor(other) || !memory.knows(other) || !memory.may_share(other, target)) continue;
      if (module_.consumes(node, i) && i < argument) continue;
      rewriter_.set_argument(node, i, Value(copy(other)));
    }
  }

  Function& function_;
  Rewriter rewriter_;
  const ModuleMemory& module_;
  const bool is_main_;
  std::unordered_map<size_t, std::vector<const GraphValue*>> members_;  ///< of each group of memory
  size_t copies_ = 0;
};

bool writes_anything(const Function& function, const ModuleMemory& module) {
  return std::ranges::any_of(function.nodes, [&](const auto& node) {
    return node->kind != NodeKind::kHost && module.may_write(*node);
  });
}

}  // namespace

size_t insert_copies(ir::Module& module) {
  const ModuleMemory memory(module);
  size_t copies = 0;
  for (const auto& function : module.functions) {
    const bool is_main = function.get() == &module.main();
    if (is_main || writes_anything(*function, memory))
      copies += CopyInserter(*function, memory, is_main).run();
  }
  for (const auto& function : module.functions) {
    for (const auto& node : function->nodes) {
      std::vector<bool> written;
      for (size_t i = 0; i < ir::carried_count(*node); ++i) written.push_back(memory.consumes(*node, i));
      if (std::ranges::find(written, true) == written.end()) continue;
      for (const ir::Callee& callee : ir::callees_of(*node)) {
        if (!callee.gives_results()) continue;
        copies += CopyInserter(*callee.function, memory, false).separate_carried(written);
      }
    }
  }
  return copies;
}

}  // namespace dyad::passes
