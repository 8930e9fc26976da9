#include "passes/eliminate.h"

#include "passes/memory.h"
#include "passes/rewrite.h"

namespace dyad::passes {

namespace {

class CopyEliminator {
 public:
  CopyEliminator(Function& function, const ModuleMemory& module)
      : rewriter_(function), memory_(function, module), written_(memory_.groups_written_or_shown()) {
    for (const auto& update : function.updates) written_.insert(memory_.group(*update.value));
    for (const auto& result : function.results) leaving_.insert(memory_.group(*result));
  }

  void run() {
    rewriter_.walk([&](Node& node) {
      if (moves(node, Movement::kCopy) && may_go(node)) rewriter_.replace(node, Value(value_at(node, 0)));
    });
  }

 private:
  /// Whether the copy may go; if it leaves the function, what it was made from does so in its stead.
  bool may_go(const Node& node) {
    const GraphValue& original = ir::as_graph_value(value_at(node, 0));
    if (memory_.origin(original) != &original) return false;
    const size_t from = memory_.group(original);
    const size_t to = memory_.group(*node.results[0]);
    if (written_.contains(from) || written_.contains(to)) return false;
    if (!leaving_.contains(to)) return true;
    const bool own = !memory_.has_param(original) && !memory_.has_constant(original);
    return own && leaving_.insert(from).second;
  }

  Rewriter rewriter_;
  const FunctionMemory memory_;
  std::unordered_set<size_t> written_;  ///< groups
  std::unordered_set<size_t> leaving_;  ///< groups
};

}  // namespace

void eliminate_copies(ir::Module& module) {
  const ModuleMemory memory(module);
  for (const auto& function : module.functions) CopyEliminator(*function, memory).run();
}

}  // namespace dyad::passes
