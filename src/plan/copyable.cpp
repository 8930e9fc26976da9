#include "plan/copyable.h"

#include "ir/calls.h"

namespace dyad::plan {

using ir::NodeKind;

Copyable::Copyable(const ir::Module& module) {
  const passes::ModuleMemory memory(module);
  for (const auto& function : module.functions) shown_[function.get()].resize(function->params.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& function : module.functions) changed = note_shown(*function, memory) || changed;
  }
  bound_ = shown_;
  for (const auto& function : module.functions) {
    const passes::MemoryUse& use = memory.of(*function);
    std::vector<bool>& bound = bound_.at(function.get());
    for (size_t p = 0; p < bound.size(); ++p) bound[p] = bound[p] || use.consumes[p];
    for (const auto& result : use.results) {
      for (const uint32_t p : result.params) bound[p] = true;
    }
  }
}

bool Copyable::note_shown(const ir::Function& function, const passes::ModuleMemory& memory) {
  std::unordered_set<const ValueImpl*> seen;
  for (const auto& node : function.nodes) {
    const auto note = [&](const Value& value) { seen.insert(value.get()); };
    if (node->kind == NodeKind::kConstant || node->kind == NodeKind::kOperator) continue;
    for (size_t i = ir::first_passed_argument(*node); i < node->args.size(); ++i) {
      bool shown = node->kind == NodeKind::kHost;
      for (const ir::Callee& callee : ir::callees_of(*node)) {
        shown = shown || (callee.runs() && shown_.at(callee.function)[i - callee.first_argument]);
      }
      if (shown) ir::for_each_value(node->args[i], note);
    }
  }
  if (seen.empty()) return false;
  const passes::FunctionMemory groups(function, memory);
  std::unordered_set<size_t> shown;
  for (const ValueImpl* value : seen) shown.insert(groups.group(*value));
  bool changed = false;
  std::vector<bool>& flags = shown_.at(&function);
  for (size_t p = 0; p < flags.size(); ++p) {
    if (flags[p] || !shown.contains(groups.group(*function.params[p]))) continue;
    flags[p] = changed = true;
  }
  return changed;
}

}  // namespace dyad::plan
