#include "passes/eliminate_dead_functions.h"

#include "ir/calls.h"

namespace dyad::passes {

void eliminate_dead_functions(ir::Module& module) {
  const ir::Function* main = &module.main();
  const std::unordered_set<const ir::Function*> reached = ir::reachable_from(*main);
  std::erase_if(module.functions, [&](const auto& function) {
    return function.get() != main && !reached.contains(function.get());
  });
}

}  // namespace dyad::passes
