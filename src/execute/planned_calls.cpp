#include "execute/planned_calls.h"

#include <cstring>

#include "execute/executable.h"
#include "ir/calls.h"

namespace dyad::execute {

using Source = plan::Buffer::Source;
using Way = plan::ResultPlan::Way;

void PlannedFrame::connect(const PlannedFrame& caller, std::span<const Passed> passed,
                           std::span<const Passed> given) {
  const std::vector<plan::Slot>& params = plan_.code->params;
  for (size_t i = 0; i < passed.size(); ++i) {
    if (passed[i].tensor >= 0 || passed[i].slot == plan::kNoSlot) continue;
    numbers_[params[i]] = caller.numbers_[passed[i].slot];
    if (plan_.has_residual_stacks) stacks_[params[i]] = caller.stacks_[passed[i].slot];
  }
  for (const uint32_t i : plan_.bound_buffers) {
    const plan::Buffer& buffer = plan_.buffers[i];
    const bool is_given = buffer.source == Source::kGiven && buffer.index < given.size();
    if (buffer.source != Source::kParam && !is_given) continue;
    const Passed& place = is_given ? given[buffer.index] : passed[buffer.index];
    const TensorImpl& tensor = *caller.tensors_[static_cast<size_t>(place.tensor)];
    bind(i, tensor.data, tensor.storage);
  }
}

void PlannedFrame::give_results(PlannedFrame& caller, std::span<const Passed> given) const {
  const auto& results = plan_.results;
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].way == Way::kNumber) caller.numbers_[given[i].slot] = numbers_[results[i].slot];
    if (results[i].way == Way::kResidualStack) caller.stacks_[given[i].slot] = stacks_[results[i].slot];
  }
}

PlannedFrame::Call::Call(const Step& step, size_t function, PlannedFrame& caller, Run& run)
    : step_(step),
      caller_(caller),
      callee_(run.executable.frames_of(*step.functions[function]), *step.functions[function]) {
  const size_t first = ir::first_passed_argument(*step.step->node);
  callee_->connect(caller, std::span(step.passed).subspan(first), step.given);
  callee_->open();
}

PlannedFrame::Loop::Loop(const Step& step, PlannedFrame& caller, Run& run)
    : step_(step),
      caller_(caller),
      condition_(run.executable.frames_of(*step.functions[0]), *step.functions[0]),
      body_(run.executable.frames_of(*step.functions[1]), *step.functions[1]),
      current_(step.passed),
      next_(step.given) {
  start_variables();
}

/// Numbers and residual stacks of the variables lie in the slots of the results, from the first turn on.
void PlannedFrame::Loop::start_variables() {
  const bool has_stacks = caller_.plan_.has_residual_stacks;
  for (size_t i = 0; i < step_.given.size(); ++i) {
    const plan::Slot slot = step_.given[i].slot;
    if (step_.given[i].tensor >= 0 || slot == plan::kNoSlot) continue;
    caller_.numbers_[slot] = caller_.numbers_[current_[i].slot];
    if (has_stacks) caller_.stacks_[slot] = caller_.stacks_[current_[i].slot];
    current_[i].slot = slot;
  }
  if (!has_stacks) return;
  // A stack that the loop is the last one to use is its own, so that memory is free as soon as it is popped.
  // Several variables may begin with the same one: it is let go when all have it.
  for (const plan::Step::Operand& operand : step_.step->operands) {
    if (operand.last_use && operand.arg < step_.given.size()) caller_.stacks_[operand.slot] = {};
  }
}

PlannedFrame& PlannedFrame::Loop::enter_condition() {
  const plan::FunctionPlan& plan = condition_->plan_;
  for (const uint32_t i : plan.bound_buffers) {
    if (plan.buffers[i].source == Source::kGiven) condition_->bind(i, truth_, {});
  }
  condition_->connect(caller_, current_, {});
  condition_->open();
  return *condition_;
}

bool PlannedFrame::Loop::leave_condition() const {
  const plan::ResultPlan& result = condition_->plan_.results[0];
  const bool is_number = result.way == Way::kNumber;
  return condition_->truth_of({is_number ? -1 : static_cast<int>(result.tensor), result.slot});
}

PlannedFrame& PlannedFrame::Loop::enter_body() {
  for (const auto& variable : step_.alternating) {
    const bool in_result = current_[variable.variable].tensor == static_cast<int>(variable.result);
    next_[variable.variable].tensor = static_cast<int>(in_result ? variable.spare : variable.result);
  }
  body_->connect(caller_, current_, next_);
  body_->open();
  return *body_;
}

void PlannedFrame::Loop::leave_body() {
  body_->give_results(caller_, step_.given);
  for (const auto& variable : step_.alternating) {
    current_[variable.variable].tensor = next_[variable.variable].tensor;
  }
}

void PlannedFrame::Loop::finish() {
  const plan::FunctionPlan& plan = caller_.plan_;
  for (const auto& variable : step_.alternating) {
    const auto last = static_cast<uint32_t>(current_[variable.variable].tensor);
    if (last == variable.result) continue;
    const plan::Buffer& buffer = plan.buffers[plan.tensors[variable.result].buffer];
    std::memcpy(caller_.tensors_[variable.result]->data, caller_.tensors_[last]->data, buffer.bytes);
  }
}

}  // namespace dyad::execute
