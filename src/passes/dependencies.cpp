#include "passes/dependencies.h"

#include <unordered_map>

#include "passes/effects.h"
#include "passes/region.h"
#include "passes/symbols.h"

namespace dyad::passes {

std::vector<std::vector<size_t>> successors_of(const ir::Function& function, const ModuleMemory& module) {
  const FunctionMemory memory(function, module);
  std::vector<std::vector<size_t>> successors(function.nodes.size());
  std::unordered_map<const ir::Node*, size_t> number;
  std::unordered_map<size_t, std::vector<size_t>> readers;  // of each group, since it was written last
  Symbols given;
  for (const auto& param : function.params) add_symbols(param->shape, given);
  std::unordered_map<int64_t, size_t> known_since;  // the node that first tells a symbol
  size_t last_effect = successors.size();
  size_t i = 0;
  for (const auto& node : function.nodes) {
    number.emplace(node.get(), i);
    const auto follow = [&](size_t before) {
      if (before != i) successors[before].push_back(i);
    };
    for (size_t a = 0; a < node->args.size() && node->kind != ir::NodeKind::kConstant; ++a) {
      const bool writes = module.consumes(*node, a);
      ir::for_each_value(node->args[a], [&](const Value& value) {
        const ir::GraphValue& used = ir::as_graph_value(value);
        if (used.producer) follow(number.at(used.producer));
        if (used.kind != ir::GraphValue::Kind::kTensor) return;
        std::vector<size_t>& before = readers[memory.group(*value)];
        if (writes) {
          for (const size_t reader : before) follow(reader);
          before.clear();
        }
        before.push_back(i);
      });
    }
    Symbols symbols;
    add_symbols(*node, symbols);
    for (const int64_t symbol : symbols) {
      if (!given.contains(symbol)) follow(known_since.emplace(symbol, i).first->second);
    }
    // What cannot fail or act may go anywhere between its operands and its users.
    const bool acts = !may_drop(*node) && role_of(*node) == Role::kNone;
    if (acts) {
      if (last_effect < i) follow(last_effect);
      last_effect = i;
    }
    ++i;
  }
  return successors;
}

}  // namespace dyad::passes
