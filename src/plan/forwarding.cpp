#include "plan/forwarding.h"

#include <algorithm>

#include "ir/calls.h"
#include "passes/memory.h"

namespace dyad::plan {

Forwarding::Forwarding(const ir::Module& module) {
  const passes::ModuleMemory memory(module);
  for (const auto& function : module.functions) {
    std::vector<int>& kept = kept_[function.get()];
    for (const auto& result : memory.of(*function).results) kept.push_back(result.version_of);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& function : module.functions) {
      for (const auto& node : function->nodes) changed = agree(*node) || changed;
    }
  }
}

bool Forwarding::agree(const ir::Node& node) {
  std::vector<std::vector<int>*> given;  // by each function that may give the node's results
  for (const ir::Callee& callee : ir::callees_of(node)) {
    if (callee.gives_results()) given.push_back(&kept_.at(callee.function));
  }
  bool changed = false;
  for (size_t i = 0; i < node.results.size() && !given.empty(); ++i) {
    // The body of a loop is to give what the next round finds in the same place.
    const int wanted = i < ir::carried_count(node) ? static_cast<int>(i) : (*given[0])[i];
    const auto agrees = [&](const std::vector<int>* kept) { return (*kept)[i] == wanted; };
    if (std::ranges::all_of(given, agrees)) continue;
    for (std::vector<int>* kept : given) {
      changed = changed || (*kept)[i] >= 0;
      (*kept)[i] = -1;
    }
  }
  return changed;
}

}  // namespace dyad::plan
