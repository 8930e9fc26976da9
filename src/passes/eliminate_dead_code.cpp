#include "passes/eliminate.h"

#include <algorithm>
#include <ranges>
#include <unordered_map>
#include <unordered_set>

#include "ir/calls.h"
#include "passes/effects.h"
#include "passes/rewrite.h"
#include "passes/symbols.h"

namespace dyad::passes {

namespace {

using ir::Module;
/// Of every function; what is left in them.
using Rewriters = std::unordered_map<const Function*, std::unique_ptr<Rewriter>>;

/// Whether the result makes a size known that the function is not given: another node may ask for that alone.
bool makes_size_known(const Function& function, const GraphValue& result) {
  if (all_known(result.shape)) return false;
  Symbols given;
  for (const auto& param : function.params) add_symbols(param->shape, given);
  Symbols made;
  add_symbols(result.shape, made);
  return std::ranges::any_of(made, [&](int64_t symbol) { return !given.contains(symbol); });
}

/// An if whose arms do nothing but compute. A call or a loop may never end, which is an effect.
bool only_computes(const Node& node) {
  if (node.kind != NodeKind::kIf) return may_drop(node);
  for (const Function* arm : node.functions) {
    for (const auto& inner : arm->nodes) {
      if (!only_computes(*inner)) return false;
    }
  }
  return true;
}

bool is_needed(const Rewriter& rewriter, const Function& function, const GraphValue& result) {
  return rewriter.use_count(result) > 0 || makes_size_known(function, result);
}

void drop_nodes(Rewriter& rewriter, const Function& function) {
  rewriter.walk_backward([&](Node& node) {
    const bool needed = std::ranges::any_of(
        node.results, [&](const auto& result) { return is_needed(rewriter, function, *result); });
    if (!needed && only_computes(node)) rewriter.erase(node);
  });
}

template <class List>
void keep_marked(List& list, const std::vector<bool>& keep, size_t first = 0) {
  size_t to = first;
  for (size_t i = 0; i < keep.size(); ++i) {
    if (keep[i]) list[to++] = std::move(list[first + i]);
  }
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(to), list.end());
}

void renumber(std::vector<ir::GraphValueRef>& values) {
  for (size_t i = 0; i < values.size(); ++i) values[i]->index = static_cast<uint32_t>(i);
}

/// Parameters that none of the node's functions uses, with the arguments for them. Variables of a loop stay.
bool drop_params(Node& node, const Rewriters& rewriters) {
  const size_t first = ir::first_passed_argument(node);
  std::vector<bool> keep;
  for (size_t p = 0; p + first < node.args.size(); ++p) {
    bool needed = p < ir::carried_count(node);
    for (const Function* callee : node.functions) {
      needed = needed || rewriters.at(callee)->use_count(*callee->params[p]) > 0;
    }
    keep.push_back(needed);
  }
  if (std::find(keep.begin(), keep.end(), false) == keep.end()) return false;
  keep_marked(node.args, keep, first);
  for (Function* callee : node.functions) {
    keep_marked(callee->params, keep);
    size_t kept = 0;
    for (size_t p = 0; p < keep.size(); ++p) {
      if (keep[p]) callee->state[kept++] = callee->state[p];
    }
    callee->state.resize(kept);
    renumber(callee->params);
  }
  return true;
}

bool drop_results(Node& node, const Rewriter& rewriter, const Function& function) {
  if (ir::carried_count(node) > 0) return false;
  std::vector<bool> keep;
  for (const auto& result : node.results) keep.push_back(is_needed(rewriter, function, *result));
  if (std::find(keep.begin(), keep.end(), false) == keep.end()) return false;
  keep_marked(node.results, keep);
  renumber(node.results);
  for (Function* callee : node.functions) keep_marked(callee->results, keep);
  return true;
}

/// The main function and all that it may come to run; who has one caller comes after it.
std::vector<Function*> callers_first(const Module& module) {
  std::vector<Function*> order{&module.main()};
  std::unordered_set<const Function*> seen{order[0]};
  for (size_t i = 0; i < order.size(); ++i) {
    for (const auto& node : order[i]->nodes) {
      for (Function* callee : node->functions) {
        if (seen.insert(callee).second) order.push_back(callee);
      }
    }
  }
  return order;
}

/// One round over all functions: whether one of them changed its parameters or results.
bool eliminate_between(Module& module) {
  const auto sites = ir::count_call_sites(module);
  const auto is_only_caller = [&](const Node& node) {
    return !node.functions.empty() && std::ranges::all_of(node.functions, [&](const Function* callee) {
      return sites.at(callee) == 1 && callee != &module.main();
    });
  };
  bool changed = false;
  Rewriters rewriters;
  const std::vector<Function*> order = callers_first(module);
  // Callers first: results that they do not use are computed by no callee.
  for (Function* function : order) {
    Rewriter& rewriter = *rewriters.emplace(function, std::make_unique<Rewriter>(*function)).first->second;
    drop_nodes(rewriter, *function);
    for (const auto& node : function->nodes) {
      if (is_only_caller(*node)) changed = drop_results(*node, rewriter, *function) || changed;
    }
  }
  // Callees first: parameters that they do not use are computed by no caller.
  for (Function* function : std::views::reverse(order)) {
    Rewriter& rewriter = *rewriters.at(function);
    for (const auto& node : function->nodes) {
      if (!is_only_caller(*node) || !drop_params(*node, rewriters)) continue;
      rewriter.arguments_changed(*node);
      changed = true;
    }
    drop_nodes(rewriter, *function);
  }
  return changed;
}

}  // namespace

void eliminate_dead_code(Module& module) {
  do {
    eliminate_dead_functions(module);
  } while (eliminate_between(module));
}

void eliminate_dead_functions(ir::Module& module) {
  const ir::Function* main = &module.main();
  const std::unordered_set<const ir::Function*> reached = ir::reachable_from(*main);
  module.remove_functions(
      [&](const ir::Function& function) { return &function != main && !reached.contains(&function); });
}

}  // namespace dyad::passes
