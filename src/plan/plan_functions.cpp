#include "eager/dispatch.h"
#include "ir/calls.h"
#include "plan/planner.h"

namespace dyad::plan {

using Source = Buffer::Source;
using Way = ResultPlan::Way;

bool Planner::add_intrinsic(const Step& step) {
  using Task = Intrinsic::Task;
  switch (static_cast<const Intrinsic&>(*step.node->op).task) {
    case Task::kNumberOf: {
      PlannedStep planned = start(step);
      add_operands(planned, step);
      if (planned.tensors.empty() || numel(plan_.tensors[planned.tensors[0].tensor].shape) != 1) return false;
      add(std::move(planned));
      return true;
    }
    case Task::kTensorOf: {
      PlannedStep planned = start(step);
      add_operands(planned, step);
      planned.outs = {add_whole(*step.node->results[0], Source::kArena)};
      set_tensor(step.results[0], planned.outs[0]);
      add(std::move(planned));
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
  set_tensor(step.results[0], base);
  const PlannedTensor& from = plan_.tensors[value];
  const PlannedTensor& to = plan_.tensors[window];
  if (to.buffer != plan_.tensors[base].buffer) return false;
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
  planned.long_work = bytes_touched(planned) >= eager::kLongWork;
  add(std::move(planned));
}

bool Planner::add_host(const Step& step) {
  PlannedStep planned = start(step);
  add_operands(planned, step);
  for (const auto& operand : planned.tensors) show(operand.tensor);
  for (size_t i = 1; i < step.results.size(); ++i) {
    planned.given.push_back({-1, step.results[i]});
    if (!is_tensor(*step.node->results[i])) continue;
    planned.given.back().tensor = static_cast<int>(add_adopted(*step.node->results[i]));
    set_tensor(step.results[i], static_cast<uint32_t>(planned.given.back().tensor));
  }
  add(std::move(planned));
  return true;
}

void Planner::show(uint32_t tensor) {
  Buffer& buffer = buffer_of(tensor);
  buffer.needs_storage = true;
  if (buffer.source == Source::kArena) shown_.insert(plan_.tensors[tensor].buffer);
}

int Planner::arranged(const Step& step, uint32_t tensor, size_t param) {
  if (is_contiguous(plan_.tensors[tensor].shape, plan_.tensors[tensor].strides))
    return static_cast<int>(tensor);
  for (const FunctionCode* callee : step.functions) {
    if (!copyable_(*callee->function, param)) return -1;
  }
  const DType dtype = plan_.tensors[tensor].dtype;
  const Shape shape = plan_.tensors[tensor].shape;
  const auto bytes = static_cast<size_t>(numel(shape) * itemsize(dtype));
  const uint32_t made =
      add_tensor(dtype, shape, contiguous_strides(shape), add_buffer(Source::kArena, bytes), 0);
  add_copy(&step, tensor, made);
  return static_cast<int>(made);
}

bool Planner::add_call(const Step& step) {
  PlannedStep planned = start(step);
  if (!pass_arguments(planned, step)) return false;
  for (const FunctionCode* callee : step.functions) {
    const auto found = plan_of_.find(callee);
    if (found == plan_of_.end() || found->second->is_main) return false;
    planned.functions.push_back(found->second);
  }
  place_given(planned, step);
  add(std::move(planned));
  return true;
}

bool Planner::pass_arguments(PlannedStep& planned, const Step& step) {
  const size_t first = ir::first_passed_argument(*step.node);
  planned.passed.resize(step.args.size());
  for (const Step::Operand& operand : step.operands) {
    PlannedStep::Passed& passed = planned.passed[operand.arg];
    passed.slot = operand.slot;
    passed.tensor = plan_.tensor_of_slot[operand.slot];
    if (passed.tensor < 0) continue;
    if (operand.arg >= first) passed.tensor = arranged(step, tensor_of(operand.slot), operand.arg - first);
    if (passed.tensor < 0) return false;
  }
  for (const PlannedStep::Passed& passed : planned.passed) {  // when all copies are made
    if (passed.tensor < 0) continue;
    use(static_cast<uint32_t>(passed.tensor));
    buffer_of(static_cast<uint32_t>(passed.tensor)).needs_storage = true;
  }
  return true;
}

void Planner::place_given(PlannedStep& planned, const Step& step) {
  const size_t first = ir::first_passed_argument(*step.node);
  const std::vector<int>& kept = forwarding_.of(*step.functions.back()->function);
  const auto make = [&](const ir::GraphValue& value) {
    const uint32_t made = add_whole(value, Source::kArena);
    buffer_of(made).needs_storage = true;
    return made;
  };
  for (size_t r = 0; r < step.results.size(); ++r) {
    PlannedStep::Passed& given = planned.given.emplace_back();
    given.slot = step.results[r];
    const ir::GraphValue& result = *step.node->results[r];
    if (!is_tensor(result)) continue;
    if (kept[r] >= 0) {
      given.tensor = planned.passed[first + static_cast<size_t>(kept[r])].tensor;
    } else {
      const uint32_t made = make(result);
      given.tensor = static_cast<int>(made);
      if (step.kind == StepKind::kWhile) {
        planned.alternating.push_back({static_cast<uint32_t>(r), made, make(result)});
      }
    }
    set_tensor(step.results[r], static_cast<uint32_t>(given.tensor));
  }
}

}  // namespace dyad::plan
