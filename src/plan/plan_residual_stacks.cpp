#include "plan/planner.h"

namespace dyad::plan {

using Source = Buffer::Source;
using Task = Intrinsic::Task;

void Planner::note_histories() {
  const auto has = [](const std::vector<ir::GraphValueRef>& values) {
    return std::any_of(values.begin(), values.end(),
                       [](const auto& value) { return is_residual_stack(*value); });
  };
  plan_.has_histories = has(code_.function->params);
  for (const Step& step : code_.steps) {
    plan_.has_histories = plan_.has_histories || has(step.node->results);
  }
}

bool Planner::add_residual_stack(const Step& step) {
  PlannedStep planned = start(step, PlannedStep::Kind::kResidualStack);
  for (const Step::Operand& operand : step.operands) {
    planned.passed.push_back({plan_.planned_tensor_of_slot[operand.slot], operand.slot});
  }
  const Task task = static_cast<const Intrinsic&>(*step.node->op).task;
  if (task == Task::kPush && planned.passed[1].planned_tensor >= 0) {
    keep(planned, static_cast<uint32_t>(planned.passed[1].planned_tensor));
  }
  if (task == Task::kPop) {
    planned.outs = {add_adopted(*step.node->results[1])};
    set_planned_tensor(step.results[1], planned.outs[0]);
  }
  plan_.steps.push_back(std::move(planned));
  return true;
}

void Planner::keep(PlannedStep& planned, uint32_t planned_tensor) {
  const Source source = buffer_of(planned_tensor).source;
  use(planned_tensor);
  show(planned_tensor);
  planned.copies = source != Source::kArena && source != Source::kConstant && source != Source::kAdopted;
}

}  // namespace dyad::plan
