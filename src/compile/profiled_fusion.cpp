#include "compile/profiled_fusion.h"

#include "base/text.h"

namespace dyad::compile {

namespace {

/// One operation for each element of what an operator computes, or of what it folds; as `flop_of` counts.
double flop_of(const ir::Node& node) {
  const auto& op = static_cast<const Op&>(*node.op);
  if (op.view) return 0;
  const bool folds = op.reduction != Reduction::kNone;
  const Shape& shape = folds ? (*node.args[0].get<Value>())->shape : node.results[0]->shape;
  return all_known(shape) ? static_cast<double>(numel(shape)) : 0;
}

}  // namespace

void ProfiledFusion::begin(const PlannedStep& step, const Frame& frame) {
  run_.name = step.code->name();
  for (const auto& node : step.step->functions[0]->function->nodes) {
    run_.operators += cat(run_.operators.empty() ? "" : " ", node->op->name);
    run_.flop += flop_of(*node);
  }
  const auto describe = [&](uint32_t cell, const char* before) {
    run_.operands += cat(before, eager::operand_text(*frame.cells[cell]));
    run_.bytes += eager::bytes_of(*frame.cells[cell]);
  };
  for (const auto& operand : step.tensors) describe(operand.cell, run_.operands.empty() ? "" : ", ");
  for (const uint32_t out : step.outs) describe(out, run_.operands.empty() ? "-> " : " -> ");
  run_.start = eager::profile_clock();
}

void ProfiledFusion::end() {
  run_.end = eager::profile_clock();
  eager::add_to_profile(std::move(run_));
}

}  // namespace dyad::compile
