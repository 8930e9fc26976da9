#include "passes/drop_gradients.h"

namespace dyad::passes {

void drop_gradients(ir::Module& module) {
  for (const auto& function : module.functions) {
    for (const auto& node : function->nodes) {
      node->constant = false;
      if (node->kind == ir::NodeKind::kCall) node->functions.resize(1);
    }
  }
}

}  // namespace dyad::passes
