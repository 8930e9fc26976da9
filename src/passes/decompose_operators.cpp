#include "passes/decompose_operators.h"

#include <memory>
#include <unordered_set>

#include "base/error.h"
#include "ops/graph_builder.h"
#include "passes/region.h"
#include "passes/substitute.h"

namespace dyad::passes {

namespace {

using ir::Function;
using ir::Node;
using ir::NodeKind;

BodyRule body_of(const Node& node) {
  auto* op = node.kind == NodeKind::kOperator ? dynamic_cast<const Op*>(node.op) : nullptr;
  if (!op || !op->decomposition) return nullptr;
  const ValueImpl& operand = **node.args[0].get<Value>();
  // Kernels compute narrow floats in float32 throughout, steps of a body round each time. A symbolic
  // dimension may turn out to be 0, where there is no largest element.
  if (itemsize(operand.dtype) < 4) return nullptr;
  const Dim size = size_of(operand.shape);
  return size.known() && size.value() >= kFewElements ? op->decomposition : nullptr;
}

bool can_be_fused(const Node& node) {
  const Role role = role_of(node);
  return role == Role::kPointwise || role == Role::kReduction || body_of(node);
}

/// Nodes that would be fused with a neighbour such that the value between them is not needed in memory: all
/// who use it can be fused.
std::unordered_set<const Node*> nodes_with_neighbours(const Function& function) {
  std::unordered_set<const Node*> needed;  // in memory: some user is no part of a group
  std::vector<std::pair<const Node*, const Node*>> pairs;
  for (const auto& node : function.nodes) {
    if (node->kind == NodeKind::kConstant) continue;
    const bool fuses = role_of(*node) != Role::kNone || body_of(*node);
    for (const Arg& arg : node->args) {
      ir::for_each_value(arg, [&](const Value& value) {
        const Node* producer = ir::as_graph_value(value).producer;
        if (!producer) return;
        if (!fuses) needed.insert(producer);
        if (fuses && can_be_fused(*producer)) pairs.emplace_back(producer, node.get());
      });
    }
  }
  const auto leave = [&](const ir::GraphValue& value) { needed.insert(value.producer); };
  for (const auto& result : function.results) leave(*result);
  for (const auto& update : function.updates) leave(*update.value);
  std::unordered_set<const Node*> found;
  for (const auto& [producer, user] : pairs) {
    if (needed.contains(producer)) continue;
    found.insert(producer);
    found.insert(user);
  }
  return found;
}

/// Writes the body before `place`; false where the operator cannot be opened for these arguments. A body of
/// one operator is as good as the operator itself, a longer one only if that is `wanted`.
bool write_body(Function& function, Function::Nodes::iterator place, bool wanted,
                Substitution& substitution) {
  Node& node = **place;
  const size_t before = function.nodes.size();
  const auto written = [&] {
    return std::prev(function.nodes.end(), static_cast<std::ptrdiff_t>(function.nodes.size() - before));
  };
  ValueList results;
  try {
    GraphBuilder builder(function);
    builder.location = node.location;
    body_of(node)(Call(Arguments(node.op->name, node.args), builder), results);
  } catch (const Error&) {
    results.clear();
  }
  bool fits = results.size() == node.results.size() && (wanted || function.nodes.size() == before + 1);
  for (size_t i = 0; i < results.size() && fits; ++i) {
    const ir::GraphValue& given = ir::as_graph_value(results[i]);
    fits = given.producer && given.same_type(*node.results[i]);
  }
  if (!fits) {
    function.nodes.erase(written(), function.nodes.end());
    return false;
  }
  function.nodes.splice(place, function.nodes, written(), function.nodes.end());
  for (size_t i = 0; i < results.size(); ++i) substitution.replace(*node.results[i], results[i]);
  return true;
}

void decompose_in(Function& function) {
  const std::unordered_set<const Node*> wanted = nodes_with_neighbours(function);
  Substitution substitution;
  std::vector<std::unique_ptr<Node>> opened;  // the substitution knows their results by address
  for (auto at = function.nodes.begin(); at != function.nodes.end();) {
    substitution.apply(**at);
    if (!body_of(**at) || !write_body(function, at, wanted.contains(at->get()), substitution)) {
      ++at;
      continue;
    }
    opened.push_back(std::move(*at));
    at = function.nodes.erase(at);
  }
  substitution.apply_to_end(function);
}

}  // namespace

void decompose_operators(ir::Module& module) {
  for (const auto& function : module.functions) {
    if (!function->fused) decompose_in(*function);
  }
}

}  // namespace dyad::passes
