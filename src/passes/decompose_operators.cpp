#include "passes/decompose_operators.h"

#include <unordered_set>

#include "base/error.h"
#include "ops/graph_builder.h"
#include "passes/region.h"
#include "passes/rewrite.h"

namespace dyad::passes {

namespace {

BodyRule body_of(const Node& node) {
  const Op* op = table_op(node);
  if (!op || !op->decomposition) return nullptr;
  const ValueImpl& operand = *value_at(node, 0);
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
std::unordered_set<const Node*> nodes_with_neighbours(const Rewriter& rewriter) {
  std::unordered_set<const Node*> found;
  std::vector<const Node*> users;
  for (const auto& node : rewriter.function().nodes) {
    if (!can_be_fused(*node)) continue;
    bool needed = false;  // in memory
    users.clear();
    for (const auto& result : node->results) {
      needed = needed || rewriter.is_returned(*result);
      rewriter.for_each_user(*result, [&](const Node& user) {
        needed = needed || (role_of(user) == Role::kNone && !body_of(user));
        users.push_back(&user);
      });
    }
    if (needed || users.empty()) continue;
    found.insert(node.get());
    found.insert(users.begin(), users.end());
  }
  return found;
}

/// Puts the body in the place of the node; does nothing where the operator cannot be decomposed for these
/// arguments. A body of one operator is as good as the operator itself, a longer one only if that is
/// `wanted`.
void decompose(Rewriter& rewriter, Node& node, bool wanted) {
  Function& function = rewriter.function();
  const auto last = std::prev(function.nodes.end());
  ValueList results;
  try {
    GraphBuilder builder(function);
    builder.location = node.location;
    body_of(node)(Call(Arguments(node.op->name, node.args), builder), results);
  } catch (const Error&) {
    results.clear();
  }
  const auto written = std::next(last);
  bool fits =
      results.size() == node.results.size() && (wanted || std::distance(written, function.nodes.end()) == 1);
  for (size_t i = 0; i < results.size() && fits; ++i) {
    const GraphValue& given = ir::as_graph_value(results[i]);
    fits = given.producer && given.same_type(*node.results[i]);
  }
  if (!fits) {
    function.nodes.erase(written, function.nodes.end());
    return;
  }
  rewriter.take_in(written);
  rewriter.replace(node, results);
}

void decompose_in(Function& function) {
  Rewriter rewriter(function);
  const std::unordered_set<const Node*> wanted = nodes_with_neighbours(rewriter);
  rewriter.walk([&](Node& node) {
    if (body_of(node)) decompose(rewriter, node, wanted.contains(&node));
  });
}

}  // namespace

void decompose_operators(ir::Module& module) {
  for (const auto& function : module.functions) {
    if (!function->fused) decompose_in(*function);
  }
}

}  // namespace dyad::passes
