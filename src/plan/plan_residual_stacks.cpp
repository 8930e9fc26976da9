#include "plan/planner.h"

namespace dyad::plan {

using Source = Buffer::Source;
using Task = Intrinsic::Task;

void Planner::find_residual_stacks() {
  const auto has = [](const std::vector<ir::GraphValueRef>& values) {
    return std::any_of(values.begin(), values.end(),
                       [](const auto& value) { return is_residual_stack(*value); });
  };
  plan_.has_residual_stacks = has(code_.function->params);
  for (const Step& step : code_.steps) {
    plan_.has_residual_stacks = plan_.has_residual_stacks || has(step.node->results);
  }
}

bool Planner::add_residual_stack(const Step& step) {
  PlannedStep planned = start(step);
  for (const Step::Operand& operand : step.operands) {
    planned.passed.push_back({plan_.tensor_of_slot[operand.slot], operand.slot});
  }
  const Task task = static_cast<const Intrinsic&>(*step.node->op).task;
  if (task == Task::kPush && planned.passed[1].tensor >= 0) {
    keep(planned, static_cast<uint32_t>(planned.passed[1].tensor));
  }
  if (task == Task::kPop) {
    planned.outs = {add_adopted(*step.node->results[1])};
    set_tensor(step.results[1], planned.outs[0]);
  }
  add(std::move(planned));
  return true;
}

void Planner::keep(PlannedStep& planned, uint32_t tensor) {
  const Source source = buffer_of(tensor).source;
  use(tensor);
  show(tensor);
  planned.copies = source != Source::kArena && source != Source::kConstant && source != Source::kAdopted;
}

}  // namespace dyad::plan
