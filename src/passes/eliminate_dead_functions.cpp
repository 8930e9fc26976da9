#include "passes/eliminate_dead_functions.h"

#include "ir/calls.h"

namespace dyad::passes {

void eliminate_dead_functions(ir::Module& module) {
  const ir::Function* main = &module.main();
  const std::unordered_set<const ir::Function*> reached = ir::reachable_from(*main);
  module.remove_functions(
      [&](const ir::Function& function) { return &function != main && !reached.contains(&function); });
}

}  // namespace dyad::passes
