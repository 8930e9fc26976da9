#include <algorithm>

#include "base/error.h"
#include "eager/dispatch.h"
#include "plan/planner.h"

namespace dyad::plan {

using Source = Buffer::Source;
using Way = ResultPlan::Way;

bool Planner::add_operator(const Step& step) {
  const Op& op = *step.op;
  if (op.view && add_view(step)) return true;
  const Kernel kernel = eager::kernel_of(op);
  PlannedStep planned = start(step);
  planned.kernel = kernel;
  add_operands(planned, step);
  if (!kernel.run) return add_dispatched(std::move(planned), step);
  if (op.writes >= 0) {
    const uint32_t target = tensor_of_operand(step, static_cast<uint16_t>(op.writes));
    if (takes_write(step, target)) return true;
    note_write(planned, target);
    planned.outs = {target};
    set_tensor(step.results[0], target);
  } else {
    size_t own = step.results.size();
    for (const PlannedStep::TensorOperand& operand : planned.tensors) own -= is_updated(op, operand.arg);
    for (size_t i = 0; i < own; ++i) {
      const uint32_t made = add_whole(*step.node->results[i], Source::kArena);
      planned.outs.push_back(made);
      set_tensor(step.results[i], made);
    }
    size_t next = own;
    for (const int updated : op.updates) {
      for (const PlannedStep::TensorOperand& operand : planned.tensors) {
        if (operand.arg != updated) continue;
        note_write(planned, operand.tensor);
        set_tensor(step.results[next++], operand.tensor);
      }
    }
    if (own == 1 && op.elementwise) take_place_of_operand(planned, step);
  }
  planned.preserves = op.state || !op.updates.empty();
  planned.long_work = bytes_touched(planned) >= eager::kLongWork;
  add(std::move(planned));
  return true;
}

bool Planner::is_updated(const Op& op, int arg) {
  return std::find(op.updates.begin(), op.updates.end(), arg) != op.updates.end();
}

Value Planner::prototype(uint32_t tensor) const {
  static char place[64];
  Tensor made(new TensorImpl);
  made->dtype = plan_.tensors[tensor].dtype;
  made->shape = plan_.tensors[tensor].shape;
  made->strides = plan_.tensors[tensor].strides;
  made->data = place;
  return made;
}

bool Planner::add_view(const Step& step) {
  std::vector<Arg> args = step.args;
  for (const Step::Operand& operand : step.operands) {
    if (plan_.tensor_of_slot[operand.slot] < 0 || operand.member >= 0) return false;
    args[operand.arg] = prototype(tensor_of(operand.slot));
  }
  const uint32_t base = tensor_of_operand(step, 0);
  const ir::GraphValue& result = *step.node->results[0];
  ViewSpec view;
  if (!step.op->view(Arguments(step.op->name, args), {result.dtype, result.shape}, view)) return false;
  const PlannedTensor& shown = plan_.tensors[base];
  const int64_t offset = shown.offset + view.offset * itemsize(shown.dtype);
  const Tensor constant = shown.constant;
  const uint32_t buffer = shown.buffer;
  use(base);
  const uint32_t made = add_tensor(result.dtype, result.shape, view.strides, buffer, offset);
  if (constant) {
    plan_.tensors[made].constant =
        make_view(*constant, result.dtype, result.shape, view.strides, view.offset);
  }
  set_tensor(step.results[0], made);
  return true;
}

uint32_t Planner::tensor_of_operand(const Step& step, uint16_t arg) const {
  for (const Step::Operand& operand : step.operands) {
    if (operand.arg == arg) return tensor_of(operand.slot);
  }
  raise(ErrorKind::kInternal, "internal error: a step has no such operand");
}

bool Planner::takes_write(const Step& step, uint32_t target) {
  if (!step.op || step.op->movement != Movement::kWrite || plan_.steps.empty() || step.operands.size() != 2)
    return false;
  const Slot value = step.operands[1].slot;
  PlannedStep& before = plan_.steps.back();
  const PlannedTensor& written = plan_.tensors[target];
  if (before.kind == StepKind::kFused) return fused_takes_write(step, target);
  const bool fits = before.kind == StepKind::kOperator && before.kernel.run && before.op->elementwise &&
                    before.op == before.step->op &&  // otherwise it has taken a write already
                    before.op->writes < 0 && before.op->updates.empty() && before.step->results.size() == 1 &&
                    before.step->results[0] == value && uses_[value] == 1 && &step == before.step + 1 &&
                    written.dtype == before.step->node->results[0]->dtype &&
                    written.shape == before.step->node->results[0]->shape;
  if (!fits) return false;
  for (const PlannedStep::TensorOperand& operand : before.tensors) {
    // Another window on the same memory would be overwritten while it is read; two arguments may be one
    // memory.
    const Source other = buffer_of(operand.tensor).source;
    const bool apart =
        other == Source::kArena || other == Source::kConstant || buffer_of(target).source == Source::kArena;
    const bool same_buffer = plan_.tensors[operand.tensor].buffer == written.buffer;
    if (operand.tensor != target && (same_buffer || !apart)) return false;
  }
  // The memory that was meant for the value is given up.
  Buffer& unused = buffer_of(before.outs[0]);
  unused.bytes = 0;
  unused.takes_over = -1;
  before.outs = {target};
  before.op = before.step->op;
  before.step = &step;  // an error is one of the write
  before.preserves = step.op->state;
  const uint32_t last = now() - 1;
  buffer_of(target).last = std::max(buffer_of(target).last, last);
  note_write(before, target);
  set_tensor(value, target);
  set_tensor(step.results[0], target);
  return true;
}

void Planner::note_write(PlannedStep& planned, uint32_t tensor) {
  const Source source = buffer_of(tensor).source;
  use(tensor);
  if (source == Source::kArena || source == Source::kGiven) return;
  buffer_of(tensor).needs_storage = true;
  planned.written.push_back(tensor);
}

void Planner::take_place_of_operand(PlannedStep& planned, const Step& step) {
  std::vector<uint32_t> taken;  // buffers
  for (const uint32_t made : planned.outs) {
    for (const Step::Operand& operand : step.operands) {
      if (operand.member >= 0 || plan_.tensor_of_slot[operand.slot] < 0) continue;
      const uint32_t tensor = tensor_of(operand.slot);
      const uint32_t buffer = plan_.tensors[tensor].buffer;
      const bool same = is_whole(tensor) && plan_.tensors[tensor].dtype == plan_.tensors[made].dtype &&
                        plan_.tensors[tensor].shape == plan_.tensors[made].shape;
      const auto lies_there = [&](const PlannedStep::TensorOperand& other) {
        return other.tensor != tensor && plan_.tensors[other.tensor].buffer == buffer;
      };
      if (!same || buffer_of(tensor).source != Source::kArena ||
          std::ranges::find(taken, buffer) != taken.end() ||
          std::ranges::any_of(planned.tensors, lies_there)) {
        continue;
      }
      buffer_of(made).takes_over = static_cast<int>(buffer);
      taken.push_back(buffer);
      break;
    }
  }
}

int64_t Planner::bytes_of(uint32_t tensor) const {
  return numel(plan_.tensors[tensor].shape) * itemsize(plan_.tensors[tensor].dtype);
}

int64_t Planner::bytes_touched(const PlannedStep& planned) const {
  int64_t bytes = 0;
  for (const auto& operand : planned.tensors) bytes += bytes_of(operand.tensor);
  for (const uint32_t out : planned.outs) bytes += bytes_of(out);
  return bytes;
}

bool Planner::add_dispatched(PlannedStep planned, const Step& step) {
  if (step.op->writes >= 0 || !step.op->updates.empty()) return false;
  for (size_t i = 0; i < step.results.size(); ++i) {
    const uint32_t made = add_adopted(*step.node->results[i]);
    planned.outs.push_back(made);
    set_tensor(step.results[i], made);
    for (const auto& operand : planned.tensors)
      pinned_.emplace_back(plan_.tensors[made].buffer, plan_.tensors[operand.tensor].buffer);
  }
  for (const auto& operand : planned.tensors) buffer_of(operand.tensor).needs_storage = true;
  add(std::move(planned));
  return true;
}

uint32_t Planner::add_adopted(const ir::GraphValue& value) {
  const uint32_t made = add_whole(value, Source::kAdopted);
  buffer_of(made).needs_storage = true;
  return made;
}

}  // namespace dyad::plan
