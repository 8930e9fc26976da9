#include "passes/memory.h"

#include "base/error.h"
#include "ir/calls.h"
#include "ops/number_operator.h"
#include "passes/rewrite.h"

namespace dyad::passes {

namespace {

bool is_memory(const GraphValue& value) {
  return value.kind == GraphValue::Kind::kTensor || value.kind == GraphValue::Kind::kResidualStack;
}

const GraphValue* argument(const Node& node, size_t i) {
  auto* value = node.args[i].get<Value>();
  return value ? &ir::as_graph_value(*value) : nullptr;
}

size_t count_values(const Function& function) {
  size_t count = function.params.size();
  for (const auto& node : function.nodes) count += node->results.size();
  return count;
}

}  // namespace

ModuleMemory::ModuleMemory(const ir::Module& module) {
  // Before it is known better: nothing is written or shared, and every result is the last version of whatever
  // it may be; what is found only ever adds to that.
  for (const auto& function : module.functions) {
    MemoryUse& use = uses_[function.get()];
    use.consumes.assign(function->params.size(), false);
    use.results.assign(function->results.size(), {});
  }
  std::unordered_map<const Function*, std::vector<const Function*>> callers;
  for (const auto& function : module.functions) {
    for (const auto& node : function->nodes) {
      for (const Function* callee : node->functions) callers[callee].push_back(function.get());
    }
  }
  // The functions that one calls mostly come after it.
  std::unordered_set<const Function*> settled;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto at = module.functions.rbegin(); at != module.functions.rend(); ++at) {
      const Function* function = at->get();
      if (!settled.insert(function).second) continue;
      MemoryUse found = FunctionMemory(*function, *this).summary();
      MemoryUse& known = uses_.at(function);
      if (found == known) continue;
      known = std::move(found);
      for (const Function* caller : callers[function]) changed = settled.erase(caller) > 0 || changed;
    }
  }
}

bool ModuleMemory::consumes(const Node& node, size_t i) const {
  if (node.kind == NodeKind::kOperator) return node.op->consumes(i);
  for (const ir::Callee& callee : ir::callees_of(node)) {
    if (!callee.runs() || i < callee.first_argument) continue;
    if (of(*callee.function).consumes[i - callee.first_argument]) return true;
  }
  return false;
}

bool ModuleMemory::may_write(const Node& node) const {
  if (node.kind == NodeKind::kHost) return true;
  for (size_t i = 0; i < node.args.size(); ++i) {
    if (consumes(node, i)) return true;
  }
  return false;
}

FunctionMemory::FunctionMemory(const Function& function, const ModuleMemory& module)
    : function_(function), module_(module), index_(count_values(function)) {
  for (const auto& param : function.params) {
    add(*param, param.get());
    params_.back() = is_memory(*param);
  }
  for (const auto& node : function.nodes) add_node(*node);
}

void FunctionMemory::add(const GraphValue& value, const GraphValue* origin) {
  index_[&value] = static_cast<uint32_t>(parents_.size());
  parents_.push_back(parents_.size());
  constants_.push_back(false);
  params_.push_back(false);
  origins_.push_back(origin);
}

size_t FunctionMemory::number_of(const ValueImpl& value) const {
  const uint32_t* found = index_.find(&value);
  DYAD_ASSERT(found);
  return *found;
}

size_t FunctionMemory::find(size_t i) const {
  while (parents_[i] != i) i = parents_[i] = parents_[parents_[i]];
  return i;
}

void FunctionMemory::join(const ValueImpl& a, const ValueImpl& b) {
  const size_t left = group(a);
  const size_t right = group(b);
  if (left == right) return;
  parents_[right] = left;
  constants_[left] = constants_[left] || constants_[right];
  params_[left] = params_[left] || params_[right];
}

void FunctionMemory::add_node(const Node& node) {
  for (const auto& result : node.results) add(*result, result.get());
  if (node.kind == NodeKind::kOperator) return add_operator(node);
  if (node.kind == NodeKind::kConstant) {
    constants_[group(*node.results[0])] = is_memory(*node.results[0]);
  } else if (node.kind == NodeKind::kHost) {
    add_host(node);
  } else {
    add_call(node);
  }
}

/// The host may give what it was given.
void FunctionMemory::add_host(const Node& node) {
  for (const auto& result : node.results) {
    ir::for_each_operand(node, [&](const Value& value) {
      if (!is_memory(*result) || !is_memory(ir::as_graph_value(value))) return;
      join(*result, *value);
      set_origin(*result, nullptr);
    });
  }
}

/// What is put aside is still there, and what is taken out may be there twice.
void FunctionMemory::add_residual_stack(const Node& node) {
  for (size_t i = 0; i < node.args.size(); ++i) {
    for (const auto& result : node.results) {
      join(*argument(node, i), *result);
      set_origin(*result, nullptr);
    }
  }
}

void FunctionMemory::add_operator(const Node& node) {
  if (node.op->gives_number()) return;
  if (auto* intrinsic = dynamic_cast<const Intrinsic*>(node.op)) {
    using Task = Intrinsic::Task;
    if (intrinsic->task == Task::kPush || intrinsic->task == Task::kPop ||
        intrinsic->task == Task::kPopStack) {
      return add_residual_stack(node);
    }
    if (intrinsic->task != Intrinsic::Task::kWriteView) return;
    for (size_t i = 0; i < node.args.size(); ++i) join(*argument(node, 0), *argument(node, i));
    join(*argument(node, 0), *node.results[0]);
    set_origin(*node.results[0], origin(*argument(node, 0)));
    return;
  }
  const auto& op = static_cast<const Op&>(*node.op);
  if (op.writes >= 0) {
    const GraphValue* target = argument(node, static_cast<size_t>(op.writes));
    join(*target, *node.results[0]);
    set_origin(*node.results[0], origin(*target));
    return;
  }
  size_t updated = node.results.size();
  for (const int i : op.updates) {
    ir::for_each_value(node.args[static_cast<size_t>(i)], [&](const Value&) { --updated; });
  }
  for (const int i : op.updates) {
    ir::for_each_value(node.args[static_cast<size_t>(i)], [&](const Value& value) {
      const GraphValue& result = *node.results[updated++];
      join(*value, result);
      set_origin(result, origin(*value));
    });
  }
  // A view looks at its first argument; a body may hand on any.
  if (!op.view && !op.body) return;
  for (size_t i = 0; i < node.args.size() && (i == 0 || op.body); ++i) {
    ir::for_each_value(node.args[i], [&](const Value& value) {
      if (!is_memory(ir::as_graph_value(value))) return;
      for (const auto& result : node.results) {
        join(*value, *result);
        set_origin(*result, nullptr);
      }
    });
  }
}

void FunctionMemory::add_call(const Node& node) {
  const size_t first = ir::first_passed_argument(node);
  const size_t carried = ir::carried_count(node);
  for (size_t r = 0; r < node.results.size(); ++r) {
    const GraphValue& result = *node.results[r];
    if (!is_memory(result)) continue;
    if (r < carried) {  // a loop that is not entered gives what it was given
      join(*argument(node, r), result);
      set_origin(result, nullptr);
    }
    int version = r < carried ? static_cast<int>(r) : -1;  // the parameter that it is the last version of
    bool one_version = true;
    for (const ir::Callee& callee : ir::callees_of(node)) {
      if (!callee.gives_results()) continue;
      const MemoryUse::Result& use = module_.of(*callee.function).results[r];
      if (version < 0) version = use.version_of;
      one_version = one_version && version >= 0 && use.version_of == version;
      if (use.constant) constants_[group(result)] = true;
      for (const uint32_t p : use.params) {
        join(*argument(node, first + p), result);
        set_origin(result, nullptr);
      }
    }
    if (one_version) set_origin(result, origin(*argument(node, first + static_cast<size_t>(version))));
  }
}

std::unordered_set<size_t> FunctionMemory::groups_written() const {
  std::unordered_set<size_t> written;
  for (const auto& node : function_.nodes) {
    for (size_t i = 0; i < node->args.size(); ++i) {
      if (!module_.consumes(*node, i)) continue;
      ir::for_each_value(node->args[i], [&](const Value& value) { written.insert(group(*value)); });
    }
  }
  return written;
}

std::unordered_set<size_t> FunctionMemory::groups_written_or_shown() const {
  std::unordered_set<size_t> groups = groups_written();
  for (const auto& node : function_.nodes) {
    if (node->kind != NodeKind::kHost) continue;
    ir::for_each_operand(*node, [&](const Value& value) { groups.insert(group(*value)); });
  }
  return groups;
}

MemoryUse FunctionMemory::summary() const {
  MemoryUse use;
  const std::unordered_set<size_t> written = groups_written();
  std::unordered_map<size_t, std::vector<uint32_t>> in_group;  // the numbers of the parameters in each
  std::unordered_map<const GraphValue*, int> numbers;
  for (size_t p = 0; p < function_.params.size(); ++p) {
    const GraphValue& param = *function_.params[p];
    use.consumes.push_back(written.contains(group(param)));
    if (!is_memory(param)) continue;
    in_group[group(param)].push_back(static_cast<uint32_t>(p));
    numbers[&param] = static_cast<int>(p);
  }
  for (const auto& result : function_.results) {
    MemoryUse::Result& found = use.results.emplace_back();
    if (!is_memory(*result)) continue;
    found.constant = has_constant(*result);
    if (const auto shared = in_group.find(group(*result)); shared != in_group.end())
      found.params = shared->second;
    if (const auto first = numbers.find(origin(*result)); first != numbers.end())
      found.version_of = first->second;
  }
  return use;
}

}  // namespace dyad::passes
