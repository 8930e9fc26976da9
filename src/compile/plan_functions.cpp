#include "compile/planner.h"
#include "eager/dispatch.h"

namespace dyad::compile {

using Source = Root::Source;
using Way = ResultPlan::Way;

bool Planner::add_bridge(const Step& step) {
  using Task = BridgeOperator::Task;
  switch (static_cast<const BridgeOperator&>(*step.node->op).task) {
    case Task::kNumberOf: {
      PlannedStep planned = start(step, PlannedStep::Kind::kNumberOf);
      add_operands(planned, step);
      if (planned.tensors.empty() || numel(plan_.cells[planned.tensors[0].cell].shape) != 1) return false;
      plan_.steps.push_back(std::move(planned));
      return true;
    }
    case Task::kTensorOf: {
      PlannedStep planned = start(step, PlannedStep::Kind::kTensorOf);
      add_operands(planned, step);
      planned.outs = {add_whole(*step.node->results[0], Source::kArena)};
      set_cell(step.results[0], planned.outs[0]);
      plan_.steps.push_back(std::move(planned));
      return true;
    }
    case Task::kDefineSymbol:
      return true;  // nothing asks for it: all sizes are known
    case Task::kDim:
      return false;  // a known size is folded
    case Task::kWriteView:
      return add_write_back(step);
    case Task::kNewHistory:
    case Task::kPush:
    case Task::kPop:
    case Task::kPopHistory:
      return add_history(step);
  }
  return false;
}

bool Planner::add_write_back(const Step& step) {
  const uint32_t base = operand_cell(step, 0);
  const uint32_t value = operand_cell(step, 1);
  const uint32_t window = operand_cell(step, 2);
  use(base);
  set_cell(step.results[0], base);
  const Cell& from = plan_.cells[value];
  const Cell& to = plan_.cells[window];
  if (to.root != plan_.cells[base].root) return false;
  if (from.root == to.root && from.offset == to.offset && from.strides == to.strides) return true;
  add_copy(&step, value, window);
  return true;
}

void Planner::add_copy(const Step* step, uint32_t from, uint32_t to) {
  static const Op& assign = OpTable::instance().get("assign");
  PlannedStep planned;
  planned.step = step;
  planned.op = &assign;
  planned.kernel = eager::kernel_of(assign);
  planned.args.resize(2);
  planned.tensors = {{0, -1, to}, {1, -1, from}};
  planned.outs = {to};
  use(from);
  note_write(planned, to);
  planned.long_work = work_of(planned) >= eager::kLongWork;
  plan_.steps.push_back(std::move(planned));
}

bool Planner::add_host(const Step& step) {
  PlannedStep planned = start(step, PlannedStep::Kind::kHost);
  add_operands(planned, step);
  for (const auto& operand : planned.tensors) show(operand.cell);
  for (size_t i = 1; i < step.results.size(); ++i) {
    planned.given.push_back({-1, step.results[i]});
    if (!is_tensor(*step.node->results[i])) continue;
    planned.given.back().cell = static_cast<int>(add_adopted(*step.node->results[i]));
    set_cell(step.results[i], static_cast<uint32_t>(planned.given.back().cell));
  }
  plan_.steps.push_back(std::move(planned));
  return true;
}

void Planner::show(uint32_t cell) {
  Root& root = root_of(cell);
  root.needs_storage = true;
  if (root.source == Source::kArena) shown_.insert(plan_.cells[cell].root);
}

int Planner::arranged(const Step& step, uint32_t cell, size_t param) {
  if (is_contiguous(plan_.cells[cell].shape, plan_.cells[cell].strides)) return static_cast<int>(cell);
  for (const FunctionCode* callee : step.functions) {
    if (!copyable_(*callee->function, param)) return -1;
  }
  const DType dtype = plan_.cells[cell].dtype;
  const Shape shape = plan_.cells[cell].shape;
  const auto bytes = static_cast<size_t>(numel(shape) * itemsize(dtype));
  const uint32_t made = add_cell(dtype, shape, contiguous_strides(shape), add_root(Source::kArena, bytes), 0);
  add_copy(&step, cell, made);
  return static_cast<int>(made);
}

bool Planner::add_call(const Step& step) {
  PlannedStep planned = start(step, step.kind == Step::Kind::kIf      ? PlannedStep::Kind::kIf
                                    : step.kind == Step::Kind::kWhile ? PlannedStep::Kind::kWhile
                                                                      : PlannedStep::Kind::kCall);
  planned.passed.resize(step.args.size());
  for (const Step::Operand& operand : step.operands) {
    PlannedStep::Passed& passed = planned.passed[operand.arg];
    passed.slot = operand.slot;
    passed.cell = plan_.cell_of_slot[operand.slot];
    if (passed.cell < 0) continue;
    const size_t first = step.kind == Step::Kind::kIf ? 1 : 0;
    if (operand.arg >= first) passed.cell = arranged(step, cell_of(operand.slot), operand.arg - first);
    if (passed.cell < 0) return false;
  }
  for (const PlannedStep::Passed& passed : planned.passed) {  // when all copies are made
    if (passed.cell < 0) continue;
    use(static_cast<uint32_t>(passed.cell));
    root_of(static_cast<uint32_t>(passed.cell)).needs_storage = true;
  }
  for (const FunctionCode* callee : step.functions) {
    const auto found = plan_of_.find(callee);
    if (found == plan_of_.end()) return false;
    if (found->second->is_main) return false;
    planned.functions.push_back(found->second);
  }
  const std::vector<int>& kept = forwarding_.of(*step.functions.back()->function);
  const size_t first = step.kind == Step::Kind::kIf ? 1 : 0;
  for (size_t r = 0; r < step.results.size(); ++r) {
    planned.given.push_back({-1, step.results[r]});
    const ir::GraphValue& result = *step.node->results[r];
    if (!is_tensor(result)) continue;
    if (kept[r] >= 0) {
      const auto& passed = planned.passed[first + static_cast<size_t>(kept[r])];
      planned.given.back().cell = passed.cell;
    } else {
      const uint32_t made = add_whole(result, Source::kArena);
      root_of(made).needs_storage = true;
      planned.given.back().cell = static_cast<int>(made);
      if (step.kind == Step::Kind::kWhile) {
        const uint32_t spare = add_whole(result, Source::kArena);
        root_of(spare).needs_storage = true;
        planned.alternating.push_back({static_cast<uint32_t>(r), made, spare});
      }
    }
    set_cell(step.results[r], static_cast<uint32_t>(planned.given.back().cell));
  }
  plan_.steps.push_back(std::move(planned));
  return true;
}

}  // namespace dyad::compile
