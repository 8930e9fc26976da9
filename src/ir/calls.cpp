#include "ir/calls.h"

#include "base/error.h"

namespace dyad::ir {

namespace {

using Role = Callee::Role;

Role role_of(const Node& node, size_t function) {
  switch (node.kind) {
    case NodeKind::kIf:
      return Role::kArm;
    case NodeKind::kWhile:
      return function == 0 ? Role::kCondition : Role::kBody;
    case NodeKind::kCall:
    case NodeKind::kOperator:
    case NodeKind::kConstant:
    case NodeKind::kHost:
      break;
  }
  return function == 0 ? Role::kCall : Role::kGradient;
}

}  // namespace

Callees::Callees(const Node& node) : count_(node.functions.size()) {
  DYAD_ASSERT(count_ <= callees_.size());
  for (size_t i = 0; i < count_; ++i) {
    callees_[i] = {node.functions[i], role_of(node, i), first_passed_argument(node)};
  }
}

size_t first_passed_argument(const Node& node) { return node.kind == NodeKind::kIf ? 1 : 0; }

bool is_loop(const Node& node) { return node.kind == NodeKind::kWhile; }

size_t carried_count(const Node& node) { return is_loop(node) ? node.results.size() : 0; }

std::unordered_map<const Function*, size_t> count_call_sites(const Module& module) {
  std::unordered_map<const Function*, size_t> sites;
  for (const auto& function : module.functions) {
    for (const auto& node : function->nodes) {
      for (const Function* callee : node->functions) ++sites[callee];
    }
  }
  return sites;
}

std::unordered_set<const Function*> reachable_from(const Function& from) {
  std::unordered_set<const Function*> reached;
  std::vector<const Function*> waiting{&from};
  while (!waiting.empty()) {
    const Function* function = waiting.back();
    waiting.pop_back();
    for (const auto& node : function->nodes) {
      for (const Function* callee : node->functions) {
        if (reached.insert(callee).second) waiting.push_back(callee);
      }
    }
  }
  return reached;
}

}  // namespace dyad::ir
