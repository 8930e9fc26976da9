#include "plan/planner.h"

#include <algorithm>

#include "base/error.h"
#include "passes/memory.h"
#include "plan/arena.h"

namespace dyad::plan {

using Source = Buffer::Source;
using Way = ResultPlan::Way;

namespace {

/// Whether all sizes of the function are known and no kernel decides one.
bool is_static(const FunctionCode& code) {
  const auto known = [](const ir::GraphValueRef& value) { return all_known(value->shape); };
  const ir::Function& function = *code.function;
  if (!std::all_of(function.params.begin(), function.params.end(), known)) return false;
  for (const Step& step : code.steps) {
    if (step.op && step.op->data_shape) return false;
    if (!step.sizes.empty()) return false;
    if (!std::all_of(step.node->results.begin(), step.node->results.end(), known)) return false;
  }
  return true;
}

/// Whether a function that is called decides if a result is one of the program's own inputs: planned memory
/// would make a copy of it.
bool may_give_input(const ir::Module& module) {
  const ir::Function& main = module.main();
  const auto is_called = [](const ir::GraphValueRef& result) {
    return result->producer && result->producer->kind == ir::NodeKind::kCall && is_tensor(*result);
  };
  if (std::none_of(main.results.begin(), main.results.end(), is_called)) return false;
  const passes::ModuleMemory uses(module);
  const passes::FunctionMemory memory(main, uses);
  return std::any_of(main.results.begin(), main.results.end(), [&](const ir::GraphValueRef& result) {
    return is_called(result) && memory.has_param(*result);
  });
}

}  // namespace

bool Planner::run() {
  plan_.code = &code_;
  plan_.tensor_of_slot.assign(code_.slots, -1);
  for (size_t i = 0; i < code_.params.size(); ++i) {
    plan_.copyable.push_back(copyable_(*code_.function, i));
  }
  for (size_t i = 0; i < code_.params.size(); ++i) add_param(i);
  for (const FunctionCode::Constant& constant : code_.constants) add_constant(constant);
  find_residual_stacks();
  count_uses();
  for (size_t i = 0; i < code_.steps.size(); ++i) {
    if (!add_step(code_.steps[i])) return false;
  }
  add_updates();
  if (!add_results()) return false;
  place();
  return true;
}

uint32_t Planner::add_buffer(Source source, size_t bytes, uint32_t index) {
  Buffer buffer;
  buffer.source = source;
  buffer.bytes = bytes;
  buffer.index = index;
  buffer.first = buffer.last = now();
  plan_.buffers.push_back(std::move(buffer));
  return static_cast<uint32_t>(plan_.buffers.size() - 1);
}

uint32_t Planner::add_tensor(DType dtype, const Shape& shape, const Strides& strides, uint32_t buffer,
                             int64_t offset) {
  PlannedTensor tensor;
  tensor.dtype = dtype;
  tensor.shape = shape;
  tensor.strides = strides;
  tensor.buffer = buffer;
  tensor.offset = offset;
  plan_.tensors.push_back(std::move(tensor));
  const auto index = static_cast<uint32_t>(plan_.tensors.size() - 1);
  plan_.buffers[buffer].tensors.push_back(index);
  return index;
}

uint32_t Planner::add_whole(const ir::GraphValue& value, Source source, uint32_t index) {
  const auto bytes = static_cast<size_t>(numel(value.shape) * itemsize(value.dtype));
  return add_tensor(value.dtype, value.shape, contiguous_strides(value.shape),
                    add_buffer(source, bytes, index), 0);
}

bool Planner::is_whole(uint32_t tensor) const {
  const PlannedTensor& shown = plan_.tensors[tensor];
  const Buffer& buffer = plan_.buffers[shown.buffer];
  return shown.offset == 0 && is_contiguous(shown.shape, shown.strides) &&
         buffer.bytes == static_cast<size_t>(numel(shown.shape) * itemsize(shown.dtype));
}

void Planner::add_param(size_t i) {
  const ir::GraphValue& param = *code_.function->params[i];
  if (is_tensor(param))
    set_tensor(code_.params[i], add_whole(param, Source::kParam, static_cast<uint32_t>(i)));
}

void Planner::add_constant(const FunctionCode::Constant& constant) {
  auto* value = constant.value.get<Value>();
  if (!value) return;
  const TensorImpl& known = as_tensor(*value);
  const uint32_t tensor =
      add_tensor(known.dtype, known.shape, known.strides, add_buffer(Source::kConstant, 0), 0);
  plan_.tensors[tensor].constant = Tensor(const_cast<TensorImpl*>(&known));
  set_tensor(constant.slot, tensor);
}

void Planner::count_uses() {
  uses_.assign(code_.slots, 0);
  for (const Step& step : code_.steps) {
    for (const Step::Operand& operand : step.operands) ++uses_[operand.slot];
  }
  for (const Slot result : code_.results) {
    if (result != kNoSlot) uses_[result] += 2;  // no write may take its place
  }
}

bool Planner::add_step(const Step& step) {
  switch (step.kind) {
    case StepKind::kOperator:
      return add_operator(step);
    case StepKind::kNumber: {
      PlannedStep planned = start(step);
      add_operands(planned, step);
      add(std::move(planned));
      return true;
    }
    case StepKind::kIntrinsic:
      return add_intrinsic(step);
    case StepKind::kHost:
      return add_host(step);
    case StepKind::kFused:
      return add_fused(step);
    case StepKind::kCall:
    case StepKind::kIf:
    case StepKind::kWhile:
      return add_call(step);
  }
  return false;
}

void Planner::add(PlannedStep planned) {
  planned.index = now();
  plan_.steps.push_back(std::move(planned));
}

PlannedStep Planner::start(const Step& step) {
  PlannedStep planned;
  planned.kind = step.kind;
  planned.step = &step;
  planned.op = step.op;
  planned.args = step.args;
  return planned;
}

void Planner::add_operands(PlannedStep& planned, const Step& step) {
  for (const Step::Operand& operand : step.operands) {
    if (plan_.tensor_of_slot[operand.slot] < 0) {
      planned.numbers.push_back({operand.arg, operand.slot});
    } else {
      planned.tensors.push_back({operand.arg, operand.member, tensor_of(operand.slot)});
      use(tensor_of(operand.slot));
    }
  }
}

void Planner::add_updates() {
  for (const FunctionCode::Update& update : code_.updates) {
    const PlannedTensor& from = plan_.tensors[tensor_of(update.value)];
    const PlannedTensor& to = plan_.tensors[tensor_of(update.state)];
    if (from.buffer == to.buffer && from.offset == to.offset && from.strides == to.strides) continue;
    add_copy(nullptr, tensor_of(update.value), tensor_of(update.state));
  }
}

bool Planner::add_results() {
  const std::vector<int>& kept = forwarding_.of(*code_.function);
  std::unordered_set<uint32_t> given;
  for (size_t r = 0; r < code_.results.size(); ++r) {
    ResultPlan& result = plan_.results.emplace_back();
    result.slot = code_.results[r];
    if (result.slot == kNoSlot) continue;
    if (plan_.tensor_of_slot[result.slot] < 0) {
      result.way = is_residual_stack(*code_.function->results[r]) ? Way::kResidualStack : Way::kNumber;
      continue;
    }
    result.tensor = tensor_of(result.slot);
    if (plan_.is_main) {
      result.way = Way::kTensor;
      show(result.tensor);
      use(result.tensor);
    } else if (kept[r] >= 0) {
      result.way = Way::kForwarded;
      if (result.tensor != tensor_of(code_.params[static_cast<size_t>(kept[r])])) return false;
    } else {
      give(result, r, given);
    }
  }
  for (const uint32_t buffer : shown_) plan_.buffers[buffer].source = Source::kOwned;
  return true;
}

void Planner::give(ResultPlan& result, size_t r, std::unordered_set<uint32_t>& given) {
  result.way = Way::kGiven;
  const uint32_t buffer = plan_.tensors[result.tensor].buffer;
  if (plan_.buffers[buffer].source == Source::kArena && is_whole(result.tensor) && !shown_.contains(buffer) &&
      given.insert(buffer).second && !is_rebound(buffer)) {
    plan_.buffers[buffer].source = Source::kGiven;
    plan_.buffers[buffer].index = static_cast<uint32_t>(r);
    plan_.buffers[buffer].takes_over = -1;
    return;
  }
  const uint32_t place = add_whole(*code_.function->results[r], Source::kGiven, static_cast<uint32_t>(r));
  add_copy(nullptr, result.tensor, place);
  result.tensor = place;
}

bool Planner::is_rebound(uint32_t buffer) const {
  for (const PlannedStep& step : plan_.steps) {
    for (const auto& variable : step.alternating) {
      if (plan_.tensors[variable.spare].buffer == buffer) return true;
    }
  }
  return false;
}

void Planner::place() {
  for (const auto& [result, operand] : pinned_) {
    plan_.buffers[operand].last = std::max(plan_.buffers[operand].last, plan_.buffers[result].last);
  }
  for (uint32_t i = 0; i < plan_.buffers.size(); ++i) {
    const Buffer& buffer = plan_.buffers[i];
    if (buffer.source == Source::kParam && buffer.last < now()) plan_.param_ends.push_back(i);
    if (buffer.source == Source::kOwned) plan_.owned_starts.push_back(i);
  }
  std::ranges::stable_sort(plan_.owned_starts, {}, [&](uint32_t i) { return plan_.buffers[i].first; });
  std::ranges::sort(plan_.param_ends, {}, [&](uint32_t i) { return plan_.buffers[i].last; });
  std::vector<Block> blocks;
  std::vector<int> block_of(plan_.buffers.size(), -1);
  for (size_t i = 0; i < plan_.buffers.size(); ++i) {
    const Buffer& buffer = plan_.buffers[i];
    if (buffer.source != Source::kArena) {
      if (buffer.source != Source::kConstant) plan_.bound_buffers.push_back(static_cast<uint32_t>(i));
      continue;
    }
    Block block;
    block.bytes = buffer.bytes;
    block.first = buffer.first;
    block.last = buffer.last;
    if (buffer.takes_over >= 0) {
      const Buffer& before = plan_.buffers[static_cast<size_t>(buffer.takes_over)];
      const bool free =
          before.source == Source::kArena && before.last == buffer.first && before.bytes == buffer.bytes;
      if (free) block.takes_over = block_of[static_cast<size_t>(buffer.takes_over)];
    }
    block_of[i] = static_cast<int>(blocks.size());
    blocks.push_back(block);
    plan_.unplanned_bytes += buffer.bytes;
  }
  plan_.least_bytes = least_bytes(blocks);
  plan_.arena_bytes = place_blocks(blocks);
  for (size_t i = 0; i < plan_.buffers.size(); ++i) {
    if (block_of[i] >= 0) plan_.buffers[i].offset = blocks[static_cast<size_t>(block_of[i])].offset;
  }
}

Plan::Plan(const Code& code) {
  if (may_give_input(code.module())) return;
  for (const auto& function : code.functions()) {
    if (!is_static(*function)) return;
  }
  Planner::PlanOf plan_of;
  for (const auto& function : code.functions()) {
    functions_.push_back(std::make_unique<FunctionPlan>());
    functions_.back()->index = function->index;
    functions_.back()->is_main = function.get() == &code.main();
    plan_of.emplace(function.get(), functions_.back().get());
  }
  const Forwarding forwarding(code.module());
  const Copyable copyable(code.module());
  for (size_t i = 0; i < functions_.size(); ++i) {
    if (code.functions()[i]->function->fused) continue;  // it is a step of its caller
    if (!Planner(*code.functions()[i], *functions_[i], forwarding, copyable, plan_of).run()) return;
  }
  make_launches(functions_);
  complete_ = true;
}

}  // namespace dyad::plan
