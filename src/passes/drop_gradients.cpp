#include "passes/drop_gradients.h"

namespace dyad::passes {

void drop_own_gradients(ir::Module& module) {
  for (const auto& function : module.functions) {
    for (const auto& node : function->nodes) {
      if (node->kind == ir::NodeKind::kCall) node->functions.resize(1);
    }
  }
}

void drop_gradients(ir::Module& module) {
  drop_own_gradients(module);
  for (const auto& function : module.functions) {
    for (const auto& node : function->nodes) node->constant = false;
  }
}

}  // namespace dyad::passes
