#include "eager/dispatch.h"
#include "plan/planner.h"

namespace dyad::plan {

using Source = Buffer::Source;
using Way = ResultPlan::Way;

bool Planner::add_intrinsic(const Step& step) {
  using Task = Intrinsic::Task;
  switch (static_cast<const Intrinsic&>(*step.node->op).task) {
    case Task::kNumberOf: {
      PlannedStep planned = start(step, PlannedStep::Kind::kNumberOf);
      add_operands(planned, step);
      if (planned.tensors.empty() ||
          numel(plan_.planned_tensors[planned.tensors[0].planned_tensor].shape) != 1)
        return false;
      plan_.steps.push_back(std::move(planned));
      return true;
    }
    case Task::kTensorOf: {
      PlannedStep planned = start(step, PlannedStep::Kind::kTensorOf);
      add_operands(planned, step);
      planned.outs = {add_whole(*step.node->results[0], Source::kArena)};
      set_planned_tensor(step.results[0], planned.outs[0]);
      plan_.steps.push_back(std::move(planned));
      return true;
    }
    case Task::kDefineSymbol:
      return true;  // nothing asks for it: all sizes are known
    case Task::kDim:
      return false;  // a known size is folded
    case Task::kWriteView:
      return add_write_back(step);
    case Task::kNewStack:
    case Task::kPush:
    case Task::kPop:
    case Task::kPopStack:
      return add_residual_stack(step);
  }
  return false;
}

bool Planner::add_write_back(const Step& step) {
  const uint32_t base = tensor_of_operand(step, 0);
  const uint32_t value = tensor_of_operand(step, 1);
  const uint32_t window = tensor_of_operand(step, 2);
  use(base);
  set_planned_tensor(step.results[0], base);
  const PlannedTensor& from = plan_.planned_tensors[value];
  const PlannedTensor& to = plan_.planned_tensors[window];
  if (to.buffer != plan_.planned_tensors[base].buffer) return false;
  if (from.buffer == to.buffer && from.offset == to.offset && from.strides == to.strides) return true;
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
  for (const auto& operand : planned.tensors) show(operand.planned_tensor);
  for (size_t i = 1; i < step.results.size(); ++i) {
    planned.given.push_back({-1, step.results[i]});
    if (!is_tensor(*step.node->results[i])) continue;
    planned.given.back().planned_tensor = static_cast<int>(add_adopted(*step.node->results[i]));
    set_planned_tensor(step.results[i], static_cast<uint32_t>(planned.given.back().planned_tensor));
  }
  plan_.steps.push_back(std::move(planned));
  return true;
}

void Planner::show(uint32_t planned_tensor) {
  Buffer& buffer = buffer_of(planned_tensor);
  buffer.needs_storage = true;
  if (buffer.source == Source::kArena) shown_.insert(plan_.planned_tensors[planned_tensor].buffer);
}

int Planner::arranged(const Step& step, uint32_t planned_tensor, size_t param) {
  if (is_contiguous(plan_.planned_tensors[planned_tensor].shape,
                    plan_.planned_tensors[planned_tensor].strides))
    return static_cast<int>(planned_tensor);
  for (const FunctionCode* callee : step.functions) {
    if (!copyable_(*callee->function, param)) return -1;
  }
  const DType dtype = plan_.planned_tensors[planned_tensor].dtype;
  const Shape shape = plan_.planned_tensors[planned_tensor].shape;
  const auto bytes = static_cast<size_t>(numel(shape) * itemsize(dtype));
  const uint32_t made =
      add_planned_tensor(dtype, shape, contiguous_strides(shape), add_buffer(Source::kArena, bytes), 0);
  add_copy(&step, planned_tensor, made);
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
    passed.planned_tensor = plan_.planned_tensor_of_slot[operand.slot];
    if (passed.planned_tensor < 0) continue;
    const size_t first = step.kind == Step::Kind::kIf ? 1 : 0;
    if (operand.arg >= first)
      passed.planned_tensor = arranged(step, planned_tensor_of(operand.slot), operand.arg - first);
    if (passed.planned_tensor < 0) return false;
  }
  for (const PlannedStep::Passed& passed : planned.passed) {  // when all copies are made
    if (passed.planned_tensor < 0) continue;
    use(static_cast<uint32_t>(passed.planned_tensor));
    buffer_of(static_cast<uint32_t>(passed.planned_tensor)).needs_storage = true;
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
      planned.given.back().planned_tensor = passed.planned_tensor;
    } else {
      const uint32_t made = add_whole(result, Source::kArena);
      buffer_of(made).needs_storage = true;
      planned.given.back().planned_tensor = static_cast<int>(made);
      if (step.kind == Step::Kind::kWhile) {
        const uint32_t spare = add_whole(result, Source::kArena);
        buffer_of(spare).needs_storage = true;
        planned.alternating.push_back({static_cast<uint32_t>(r), made, spare});
      }
    }
    set_planned_tensor(step.results[r], static_cast<uint32_t>(planned.given.back().planned_tensor));
  }
  plan_.steps.push_back(std::move(planned));
  return true;
}

}  // namespace dyad::plan
