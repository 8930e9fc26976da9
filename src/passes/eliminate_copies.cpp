#include "passes/eliminate_copies.h"

#include <memory>
#include <unordered_set>

#include "ops/op.h"
#include "passes/memory.h"
#include "passes/substitute.h"

namespace dyad::passes {

namespace {

using ir::Function;
using ir::GraphValue;
using ir::Node;
using ir::NodeKind;

class CopyDropper {
 public:
  CopyDropper(Function& function, const ModuleMemory& module)
      : function_(function), memory_(function, module) {
    const auto note_written = [&](const Value& value) { written_.insert(memory_.group(*value)); };
    for (const auto& node : function.nodes) {
      if (node->kind == NodeKind::kConstant) continue;
      for (size_t i = 0; i < node->args.size(); ++i) {
        if (node->kind == NodeKind::kHost || module.consumes(*node, i))
          ir::for_each_value(node->args[i], note_written);
      }
    }
    for (const auto& update : function.updates) note_written(update.value);
    for (const auto& result : function.results) leaving_.insert(memory_.group(*result));
  }

  void run() {
    static const Op& copy = OpTable::instance().get("copy");
    Substitution substitution;
    std::vector<std::unique_ptr<Node>> dropped;
    for (auto at = function_.nodes.begin(); at != function_.nodes.end();) {
      Node& node = **at;
      substitution.apply(node);
      if (node.kind != NodeKind::kOperator || node.op != &copy || !drop(node)) {
        ++at;
        continue;
      }
      substitution.replace(*node.results[0], *node.args[0].get<Value>());
      dropped.push_back(std::move(*at));  // the substitution still knows its result by its address
      at = function_.nodes.erase(at);
    }
    substitution.apply_to_end(function_);
  }

 private:
  /// Whether the copy may go; if it leaves the function, what it was made from does so in its stead.
  bool drop(const Node& node) {
    const GraphValue& original = ir::as_graph_value(*node.args[0].get<Value>());
    if (memory_.origin(original) != &original) return false;
    const size_t from = memory_.group(original);
    const size_t to = memory_.group(*node.results[0]);
    if (written_.contains(from) || written_.contains(to)) return false;
    if (!leaving_.contains(to)) return true;
    const bool own = !memory_.has_param(original) && !memory_.has_constant(original);
    return own && leaving_.insert(from).second;
  }

  Function& function_;
  const FunctionMemory memory_;
  std::unordered_set<size_t> written_;  ///< groups
  std::unordered_set<size_t> leaving_;  ///< groups
};

}  // namespace

void eliminate_copies(ir::Module& module) {
  const ModuleMemory memory(module);
  for (const auto& function : module.functions) CopyDropper(*function, memory).run();
}

}  // namespace dyad::passes
