#include "compile/planner.h"
#include "compile/put_aside.h"

namespace dyad::compile {

using Source = Root::Source;
using Task = BridgeOperator::Task;

void Planner::note_histories() {
  const auto has = [](const std::vector<ir::GraphValueRef>& values) {
    return std::any_of(values.begin(), values.end(), [](const auto& value) { return is_history(*value); });
  };
  plan_.has_histories = has(code_.function->params);
  for (const Step& step : code_.steps) {
    plan_.has_histories = plan_.has_histories || has(step.node->results);
  }
}

bool Planner::add_history(const Step& step) {
  PlannedStep planned = start(step, PlannedStep::Kind::kHistory);
  for (const Step::Operand& operand : step.operands) {
    planned.passed.push_back({plan_.cell_of_slot[operand.slot], operand.slot});
  }
  const Task task = static_cast<const BridgeOperator&>(*step.node->op).task;
  if (task == Task::kPush && planned.passed[1].cell >= 0) {
    keep(planned, static_cast<uint32_t>(planned.passed[1].cell));
  }
  if (task == Task::kPop) {
    planned.outs = {add_adopted(*step.node->results[1])};
    set_cell(step.results[1], planned.outs[0]);
  }
  plan_.steps.push_back(std::move(planned));
  return true;
}

void Planner::keep(PlannedStep& planned, uint32_t cell) {
  const Source source = root_of(cell).source;
  use(cell);
  show(cell);
  planned.copies = source != Source::kArena && source != Source::kConstant && source != Source::kAdopted;
}

}  // namespace dyad::compile
