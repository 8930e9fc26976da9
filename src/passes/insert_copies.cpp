#include "passes/insert_copies.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ops/number_operator.h"
#include "ops/op.h"
#include "passes/memory.h"

namespace dyad::passes {

namespace {

using ir::Function;
using ir::GraphValue;
using ir::GraphValueRef;
using ir::Node;
using ir::NodeKind;

bool is_tensor(const GraphValue& value) { return value.kind == GraphValue::Kind::kTensor; }
bool is_call(const Node& node) {
  return node.kind == NodeKind::kCall || node.kind == NodeKind::kIf || node.kind == NodeKind::kWhile;
}
bool is_write_back(const Node& node) {
  static const Operator* const op = find_intrinsic("write_view");
  return node.kind == NodeKind::kOperator && node.op == op;
}

void replace(Arg& arg, const GraphValue& old, const GraphValueRef& by) {
  if (auto* value = arg.get<Value>()) {
    if (value->get() == &old) arg = Value(by);
  } else if (auto* list = arg.get<ValueList>()) {
    ValueList members = *list;
    for (Value& member : members) {
      if (member.get() == &old) member = by;
    }
    arg = std::move(members);
  }
}

class Keeper {
 public:
  Keeper(Function& function, const ModuleMemory& module, bool is_main)
      : function_(function), module_(module), is_main_(is_main) {}

  size_t run() {
    if (!writes_anything() && !is_main_) return 0;
    const FunctionMemory before(function_, module_);
    copy_written_constants(before);
    const FunctionMemory memory(function_, module_);
    number_uses();
    list_members(memory);
    for (auto at = function_.nodes.begin(); at != function_.nodes.end(); ++at) {
      for (size_t i = 0; i < (*at)->args.size(); ++i) {
        if (module_.consumes(**at, i)) protect(memory, at, i);
      }
    }
    if (is_main_) copy_given_constants(memory);
    return copies_;
  }

  /// The body of a loop gives the next round its variables. One that is written must not share its memory
  /// with another variable, nor with what stays the same in every round.
  size_t separate_variables(const std::vector<bool>& written) {
    const FunctionMemory memory(function_, module_);
    // Copies made here are unknown to the analysis: they lie in memory of their own.
    const auto share = [&](const GraphValue& a, const GraphValue& b) {
      return is_tensor(b) && memory.knows(a) && memory.knows(b) && memory.may_share(a, b);
    };
    for (size_t i = 0; i < function_.results.size(); ++i) {
      const GraphValue& result = *function_.results[i];
      if (!written[i] || !is_tensor(result)) continue;
      bool shared = memory.knows(result) && memory.has_constant(result);
      for (size_t j = 0; j < function_.results.size(); ++j) {
        shared = shared || (j != i && share(result, *function_.results[j]));
      }
      for (size_t j = function_.results.size(); j < function_.params.size(); ++j) {
        shared = shared || share(result, *function_.params[j]);
      }
      if (shared) function_.results[i] = copy_before(function_.nodes.end(), *function_.results[i]);
    }
    return copies_;
  }

 private:
  using Place = Function::Nodes::iterator;

  bool writes_anything() const {
    for (const auto& node : function_.nodes) {
      for (size_t i = 0; i < node->args.size(); ++i) {
        if (module_.consumes(*node, i)) return true;
      }
    }
    return false;
  }

  GraphValueRef copy_before(Place place, const GraphValue& value) {
    static const Op& copy = OpTable::instance().get("copy");
    Node& node = function_.insert_node(place, NodeKind::kOperator);
    node.op = &copy;
    node.args = {Value(GraphValueRef(const_cast<GraphValue*>(&value)))};
    if (place != function_.nodes.end()) node.location = (*place)->location;
    ++copies_;
    return GraphValueRef(&node.add_result(GraphValue::Kind::kTensor, value.dtype, value.shape));
  }

  /// Lets the nodes from `place` on, and the results, use `by` in the stead of `old`. Where only the place in
  /// memory matters the old value stays.
  void replace_from(Place place, const GraphValue& old, const GraphValueRef& by) {
    for (; place != function_.nodes.end(); ++place) {
      Node& node = **place;
      for (size_t i = 0; i < node.args.size(); ++i) {
        if (node.kind != NodeKind::kOperator || node.op->reads(i)) replace(node.args[i], old, by);
      }
    }
    for (GraphValueRef& result : function_.results) {
      if (result.get() == &old) result = by;
    }
    for (Function::Update& update : function_.updates) {
      if (update.value.get() == &old) update.value = by;
    }
  }

  /// Memory of constants, here or of a function that was called, is copied where it comes from if anything
  /// that may lie in it is written.
  void copy_written_constants(const FunctionMemory& memory) {
    std::unordered_set<size_t> written;  // groups
    for (const auto& node : function_.nodes) {
      for (size_t i = 0; i < node->args.size(); ++i) {
        if (!module_.consumes(*node, i)) continue;
        ir::for_each_value(node->args[i], [&](const Value& value) { written.insert(memory.group(*value)); });
      }
    }
    if (written.empty()) return;
    for (auto at = function_.nodes.begin(); at != function_.nodes.end();) {
      const Node& node = **at++;
      if (node.kind != NodeKind::kConstant && !is_call(node)) continue;
      for (const GraphValueRef& result : node.results) {
        if (!is_tensor(*result) || !may_be_constant(node, result->index)) continue;
        if (!written.contains(memory.group(*result))) continue;
        const GraphValueRef copied = copy_before(at, *result);
        replace_from(at, *result, copied);
        for (auto next = at; next != function_.nodes.end(); ++next) {
          for (Arg& arg : (*next)->args) replace(arg, *result, copied);
        }
      }
    }
  }
  bool may_be_constant(const Node& node, size_t result) const {
    if (node.kind == NodeKind::kConstant) return true;
    for (const Function* callee : node.functions) {
      const bool decides = node.kind == NodeKind::kWhile && callee == node.functions[0];
      if (!decides && module_.of(*callee).results[result].constant) return true;
    }
    return false;
  }

  /// Copies made by this pass are unknown to the analysis: they lie in memory of their own.
  void copy_given_constants(const FunctionMemory& memory) {
    std::unordered_map<const GraphValue*, GraphValueRef> copied;
    for (GraphValueRef& result : function_.results) {
      if (!is_tensor(*result) || !memory.knows(*result) || !memory.has_constant(*result)) continue;
      GraphValueRef& copy = copied[result.get()];
      if (!copy) copy = copy_before(function_.nodes.end(), *result);
      result = copy;
    }
  }
  void number_uses() {
    size_t position = 0;
    const auto use = [&](const ValueImpl& value) { last_use_[&value] = position; };
    for (const auto& node : function_.nodes) {
      positions_[node.get()] = ++position;
      for (size_t i = 0; i < node->args.size(); ++i) {
        if (node->kind == NodeKind::kOperator && !node->op->reads(i)) continue;
        ir::for_each_value(node->args[i], [&](const Value& value) { use(*value); });
      }
    }
    ++position;
    for (const auto& result : function_.results) use(*result);
    for (const auto& update : function_.updates) use(*update.value);
  }

  void protect(const FunctionMemory& memory, Place at, size_t argument) {
    ir::for_each_value(Arg((*at)->args[argument]), [&](const Value& value) {
      const GraphValue& target = ir::as_graph_value(value);
      if (is_tensor(target) && memory.knows(target)) protect(memory, at, argument, target);
    });
  }

  void protect(const FunctionMemory& memory, Place at, size_t argument, const GraphValue& target) {
    Node& node = **at;
    if (!is_write_back(node) && !memory.origin(target) && !is_written_back(memory, at, target)) {
      // A view whose base is not meant: what is written is memory of its own.
      if (!shares_with_others(memory, target)) return;
      replace(node.args[argument], target, copy_before(at, target));
      return;
    }
    if (is_write_back(node)) return;  // the write happened where `value` was made
    if (is_call(node)) separate_arguments(memory, at, argument, target);
    const size_t now = positions_.at(&node);
    for (const GraphValue* other : values_before(memory, target, now)) {
      const auto last = last_use_.find(other);
      if (last == last_use_.end() || last->second <= now) continue;
      last->second = now;
      const GraphValueRef copied = copy_before(at, *other);
      replace_from(std::next(at), *other, copied);
    }
  }

  /// Values made before that position which may share memory with the target, itself among them.
  std::vector<const GraphValue*> values_before(const FunctionMemory& memory, const GraphValue& target,
                                               size_t position) const {
    std::vector<const GraphValue*> found;
    for (const auto& [made, value] : members_.at(memory.group(target))) {
      if (made < position) found.push_back(value);
    }
    return found;
  }

  /// Copies that are added later lie in memory of their own and are no members.
  void list_members(const FunctionMemory& memory) {
    const auto add = [&](const GraphValueRef& value, size_t made) {
      if (is_tensor(*value)) members_[memory.group(*value)].emplace_back(made, value.get());
    };
    for (const auto& param : function_.params) add(param, 0);
    for (const auto& node : function_.nodes) {
      for (const auto& result : node->results) add(result, positions_.at(node.get()));
    }
  }

  bool shares_with_others(const FunctionMemory& memory, const GraphValue& target) const {
    if (memory.has_param(target) || memory.has_constant(target)) return true;
    for (const auto& [value, last] : last_use_) {
      const auto& other = static_cast<const GraphValue&>(*value);
      if (value != &target && is_tensor(other) && memory.knows(other) && memory.may_share(other, target))
        return true;
    }
    return false;
  }

  /// Whether what is written here goes back into the base of the view: a version that follows from the write
  /// is written back. Another view of the same base does not count.
  bool is_written_back(const FunctionMemory& memory, Place at, const GraphValue& target) const {
    std::unordered_set<const ValueImpl*> versions;
    const auto add_versions = [&](const Node& node) {
      for (const GraphValueRef& result : node.results) {
        if (is_tensor(*result) && memory.knows(*result) && memory.may_share(*result, target))
          versions.insert(result.get());
      }
    };
    add_versions(**at);
    for (auto next = std::next(at); next != function_.nodes.end(); ++next) {
      bool follows = false;
      for (const Arg& arg : (*next)->args)
        ir::for_each_value(arg,
                           [&](const Value& value) { follows = follows || versions.contains(value.get()); });
      if (!follows) continue;
      if (is_write_back(**next) && versions.contains((*next)->args[1].get<Value>()->get())) return true;
      add_versions(**next);
    }
    return false;
  }

  /// A function that writes one argument must not find the same memory behind another one.
  void separate_arguments(const FunctionMemory& memory, Place at, size_t argument, const GraphValue& target) {
    Node& node = **at;
    for (size_t i = 0; i < node.args.size(); ++i) {
      auto* value = node.args[i].get<Value>();
      if (i == argument || !value) continue;
      const GraphValue& other = ir::as_graph_value(*value);
      if (!is_tensor(other) || !memory.knows(other) || !memory.may_share(other, target)) continue;
      if (module_.consumes(node, i) && i < argument) continue;
      node.args[i] = Value(copy_before(at, other));
    }
  }

  Function& function_;
  const ModuleMemory& module_;
  const bool is_main_;
  std::unordered_map<const ValueImpl*, size_t> last_use_;
  std::unordered_map<const Node*, size_t> positions_;
  /// The tensors of each group of memory, with the positions at which they are made.
  std::unordered_map<size_t, std::vector<std::pair<size_t, const GraphValue*>>> members_;
  size_t copies_ = 0;
};

}  // namespace

size_t insert_copies(ir::Module& module) {
  const ModuleMemory memory(module);
  size_t copies = 0;
  for (const auto& function : module.functions) {
    copies += Keeper(*function, memory, function.get() == &module.main()).run();
  }
  for (const auto& function : module.functions) {
    for (const auto& node : function->nodes) {
      if (node->kind != NodeKind::kWhile) continue;
      std::vector<bool> written;
      bool any = false;
      for (size_t i = 0; i < node->variables(); ++i) {
        written.push_back(memory.consumes(*node, i));
        any = any || written.back();
      }
      if (any) copies += Keeper(*node->functions[1], memory, false).separate_variables(written);
    }
  }
  return copies;
}

}  // namespace dyad::passes
