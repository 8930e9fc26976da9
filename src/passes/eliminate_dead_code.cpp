#include "passes/eliminate_dead_code.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "passes/effects.h"

namespace dyad::passes {

namespace {

using ir::Function;
using ir::Module;
using ir::Node;
using ir::NodeKind;

using Used = std::unordered_set<const ValueImpl*>;

/// An if whose arms do nothing but compute. A call or a loop may never end, which is an effect.
bool only_computes(const Node& node) {
  if (node.kind != NodeKind::kIf) return may_drop(node);
  for (const Function* arm : node.functions) {
    for (const auto& inner : arm->nodes) {
      if (!only_computes(*inner)) return false;
    }
  }
  return true;
}

Used used_at_end(const Function& function) {
  Used used;
  for (const auto& result : function.results) used.insert(result.get());
  for (const auto& update : function.updates) used.insert(update.value.get());
  return used;
}

/// Drops nodes from the end to the start; what is left uses everything in the set.
Used drop_nodes(Function& function) {
  Used used = used_at_end(function);
  for (auto at = function.nodes.end(); at != function.nodes.begin();) {
    const Node& node = **--at;
    const bool needed = std::any_of(node.results.begin(), node.results.end(),
                                    [&](const auto& result) { return used.contains(result.get()); });
    if (!needed && only_computes(node)) {
      at = function.nodes.erase(at);
      continue;
    }
    if (node.kind == NodeKind::kConstant) continue;
    for (const Arg& arg : node.args)
      ir::for_each_value(arg, [&](const Value& value) { used.insert(value.get()); });
  }
  return used;
}

template <class List>
void keep_marked(List& list, const std::vector<bool>& keep, size_t first = 0) {
  size_t to = first;
  for (size_t i = 0; i < keep.size(); ++i) {
    if (keep[i]) list[to++] = std::move(list[first + i]);
  }
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(to), list.end());
}

void renumber(std::vector<ir::GraphValueRef>& values) {
  for (size_t i = 0; i < values.size(); ++i) values[i]->index = static_cast<uint32_t>(i);
}

/// The nodes that run each function.
std::unordered_map<const Function*, size_t> count_users(const Module& module) {
  std::unordered_map<const Function*, size_t> users;
  for (const auto& function : module.functions) {
    for (const auto& node : function->nodes) {
      for (const Function* callee : node->functions) ++users[callee];
    }
  }
  return users;
}

/// Parameters that none of the node's functions uses, with the arguments for them. Variables of a loop stay.
bool drop_params(Node& node, const std::unordered_map<const Function*, Used>& used) {
  const size_t first = node.kind == NodeKind::kIf ? 1 : 0;
  std::vector<bool> keep;
  for (size_t p = 0; p + first < node.args.size(); ++p) {
    bool needed = node.kind == NodeKind::kWhile && p < node.variables();
    for (const Function* callee : node.functions) {
      needed = needed || used.at(callee).contains(callee->params[p].get());
    }
    keep.push_back(needed);
  }
  if (std::find(keep.begin(), keep.end(), false) == keep.end()) return false;
  keep_marked(node.args, keep, first);
  for (Function* callee : node.functions) {
    keep_marked(callee->params, keep);
    size_t kept = 0;
    for (size_t p = 0; p < keep.size(); ++p) {
      if (keep[p]) callee->state[kept++] = callee->state[p];
    }
    callee->state.resize(kept);
    renumber(callee->params);
  }
  return true;
}

bool drop_results(Node& node, const Used& used) {
  if (node.kind == NodeKind::kWhile) return false;
  std::vector<bool> keep;
  for (const auto& result : node.results) keep.push_back(used.contains(result.get()));
  if (std::find(keep.begin(), keep.end(), false) == keep.end()) return false;
  keep_marked(node.results, keep);
  renumber(node.results);
  for (Function* callee : node.functions) keep_marked(callee->results, keep);
  return true;
}

bool drop_between(Module& module, const std::unordered_map<const Function*, Used>& used) {
  bool changed = false;
  const auto users = count_users(module);
  for (const auto& function : module.functions) {
    for (const auto& node : function->nodes) {
      const bool own =
          !node->functions.empty() &&
          std::all_of(node->functions.begin(), node->functions.end(), [&](const Function* callee) {
            return users.at(callee) == 1 && callee != &module.main();
          });
      if (!own) continue;
      changed = drop_params(*node, used) || changed;
      changed = drop_results(*node, used.at(function.get())) || changed;
    }
  }
  return changed;
}

void drop_functions(Module& module) {
  std::unordered_set<const Function*> reached{&module.main()};
  std::vector<const Function*> waiting{&module.main()};
  while (!waiting.empty()) {
    const Function* function = waiting.back();
    waiting.pop_back();
    for (const auto& node : function->nodes) {
      for (const Function* callee : node->functions) {
        if (reached.insert(callee).second) waiting.push_back(callee);
      }
    }
  }
  module.functions.remove_if([&](const auto& function) { return !reached.contains(function.get()); });
}

}  // namespace

void eliminate_dead_code(Module& module) {
  for (bool changed = true; changed;) {
    drop_functions(module);
    std::unordered_map<const Function*, Used> used;
    for (const auto& function : module.functions) used.emplace(function.get(), drop_nodes(*function));
    changed = drop_between(module, used);
  }
}

}  // namespace dyad::passes
