#include "execute/fused_profile.h"

#include <algorithm>

#include "ops/cost.h"

namespace dyad::execute {

namespace {

bool is_known(const ValueImpl& value) {
  return std::ranges::all_of(value.shape, [](const Dim& dim) { return dim.known(); });
}

/// Operations of a node; where its sizes are open, as many as the largest operand has elements.
double flop_of_node(const ir::Node& node, double most) {
  const auto& op = static_cast<const Op&>(*node.op);
  if (!op.elementwise && op.reduction == Reduction::kNone) return 0;
  bool known = true;
  std::vector<const ValueImpl*> results;
  for (const auto& result : node.results) {
    known = known && is_known(*result);
    results.push_back(result.get());
  }
  for (const Arg& arg : node.args) {
    ir::for_each_value(arg, [&](const Value& value) { known = known && is_known(*value); });
  }
  return known ? cost_of(op, node.args, results).flops : most;
}

}  // namespace

void FusedProfile::done(const std::string& name, const ir::Function& function,
                        std::span<const ValueImpl* const> operands,
                        std::span<const ValueImpl* const> results) const {
  eager::KernelRun run;
  run.end = eager::profile_clock();
  run.start = start_;
  run.name = name;
  double most = 0;
  for (const auto values : {operands, results}) {
    const bool given = values.data() == results.data();
    for (const ValueImpl* value : values) {
      if (!run.operands.empty()) run.operands += given ? " -> " : ", ";
      run.operands += eager::operand_text(*value);
      run.bytes += bytes_of(*value);
      most = std::max(most, static_cast<double>(value->size()));
    }
  }
  for (const auto& node : function.nodes) {
    if (!node->op) continue;
    if (!run.operators.empty()) run.operators += ' ';
    run.operators += node->op->name;
    run.flop += flop_of_node(*node, most);
  }
  eager::add_to_profile(std::move(run));
}

}  // namespace dyad::execute
