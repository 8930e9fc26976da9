#include "passes/eliminate_dead_functions.h"

#include <unordered_set>
#include <vector>

namespace dyad::passes {

void eliminate_dead_functions(ir::Module& module) {
  std::unordered_set<const ir::Function*> used{&module.main()};
  std::vector<const ir::Function*> found{&module.main()};
  while (!found.empty()) {
    const ir::Function* function = found.back();
    found.pop_back();
    for (const auto& node : function->nodes) {
      for (const ir::Function* callee : node->functions) {
        if (used.insert(callee).second) found.push_back(callee);
      }
    }
  }
  std::erase_if(module.functions, [&](const auto& function) { return !used.contains(function.get()); });
}

}  // namespace dyad::passes
