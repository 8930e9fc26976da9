#include <algorithm>

#include "eager/dispatch.h"
#include "plan/planner.h"

namespace dyad::plan {

namespace {

using Source = Buffer::Source;

/// Whether each element of a result depends on the elements of the operands at the same place only, so that
/// a result may lie over an operand of its own shape.
bool keeps_places(const ir::Function& function) {
  return std::ranges::none_of(function.nodes, [](const auto& node) {
    const auto& op = static_cast<const Op&>(*node->op);
    return op.reduction != Reduction::kNone || op.movement == Movement::kPermute;
  });
}

codegen::Layout layout_of(const PlannedTensor& tensor) {
  return {tensor.dtype, tensor.shape, tensor.strides};
}

codegen::Request request_for(const FunctionPlan& plan, const PlannedStep& step) {
  codegen::Request request;
  request.function = step.step->functions[0]->function;
  for (const auto& operand : step.tensors) request.params.push_back(layout_of(plan.tensors[operand.tensor]));
  for (const uint32_t out : step.outs) request.results.push_back(layout_of(plan.tensors[out]));
  return request;
}

}  // namespace

bool Planner::add_fused(const Step& step) {
  PlannedStep planned = start(step);
  planned.keeps_places = keeps_places(*step.functions[0]->function);
  add_operands(planned, step);
  for (size_t i = 0; i < step.results.size(); ++i) {
    const uint32_t made = add_whole(*step.node->results[i], Source::kArena);
    planned.outs.push_back(made);
    set_tensor(step.results[i], made);
  }
  if (planned.keeps_places) take_place_of_operand(planned, step);
  planned.long_work = bytes_touched(planned) >= eager::kLongWork;
  add(std::move(planned));
  return true;
}

bool Planner::fused_takes_write(const Step& step, uint32_t target) {
  const Slot value = step.operands[1].slot;
  PlannedStep& before = plan_.steps.back();
  const auto& given = before.step->results;
  const auto result = static_cast<size_t>(std::ranges::find(given, value) - given.begin());
  const PlannedTensor& written = plan_.tensors[target];
  if (result == given.size() || uses_[value] != 1 || !is_whole(target)) return false;
  const uint32_t out = before.outs[result];
  if (!(written.dtype == plan_.tensors[out].dtype && written.shape == plan_.tensors[out].shape)) return false;
  // The arguments of a program that writes any do not overlap; those of a function that it calls may.
  const bool apart = plan_.is_main || buffer_of(target).source == Source::kArena;
  for (const PlannedStep::TensorOperand& operand : before.tensors) {
    if (operand.tensor == target && before.keeps_places) continue;
    const Source other = buffer_of(operand.tensor).source;
    if (plan_.tensors[operand.tensor].buffer == written.buffer) return false;
    if (!apart && other != Source::kArena && other != Source::kConstant) return false;
  }
  for (const uint32_t other : before.outs) {
    if (plan_.tensors[other].buffer == written.buffer) return false;
  }
  Buffer& unused = buffer_of(out);
  unused.bytes = 0;
  unused.takes_over = -1;
  before.outs[result] = target;
  before.preserves = before.preserves || step.op->state;
  before.op = step.op;  // an error is one of the write
  buffer_of(target).last = std::max(buffer_of(target).last, now() - 1);
  note_write(before, target);
  set_tensor(value, target);
  set_tensor(step.results[0], target);
  return true;
}

void make_launches(std::span<const std::unique_ptr<FunctionPlan>> functions) {
  std::vector<codegen::Request> requests;
  for (const auto& function : functions) {
    for (const PlannedStep& step : function->steps) {
      if (step.kind == StepKind::kFused) requests.push_back(request_for(*function, step));
    }
  }
  if (requests.empty()) return;
  const std::vector<Ref<codegen::Kernel>> kernels = codegen::generate(requests);
  size_t next = 0;
  for (const auto& function : functions) {
    for (PlannedStep& step : function->steps) {
      if (step.kind != StepKind::kFused) continue;
      const codegen::Request& request = requests[next];
      step.code = kernels[next++];
      if (step.code) {
        step.launch = step.code->launch(request.params, request.results);
        continue;
      }
      for (const auto& operand : step.tensors) {
        function->buffers[function->tensors[operand.tensor].buffer].needs_storage = true;
      }
    }
  }
}

}  // namespace dyad::plan
