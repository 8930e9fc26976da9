#include "plan/forwarding.h"

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
  bool changed = false;
  const auto drop = [&](int& kept) {
    changed = changed || kept >= 0;
    kept = -1;
  };
  if (node.kind == ir::NodeKind::kIf) {
    auto& yes = kept_.at(node.functions[0]);
    auto& no = kept_.at(node.functions[1]);
    for (size_t i = 0; i < yes.size(); ++i) {
      if (yes[i] == no[i]) continue;
      drop(yes[i]);
      drop(no[i]);
    }
  }
  if (node.kind == ir::NodeKind::kWhile) {
    auto& body = kept_.at(node.functions[1]);
    for (size_t i = 0; i < body.size(); ++i) {
      if (body[i] >= 0 && body[i] != static_cast<int>(i)) drop(body[i]);
    }
  }
  return changed;
}

}  // namespace dyad::plan
