#include "execute/planned_frame.h"

#include "eager/dispatch.h"
#include "eager/release_host_lock.h"
#include "execute/dynamic_frame.h"
#include "execute/fused_profile.h"
#include "tensor/writes.h"

namespace dyad::execute {

namespace {

using Source = plan::Buffer::Source;
using Way = plan::ResultPlan::Way;

/// A frame keeps no more than this between runs; the allocator's cache finds larger memory again.
constexpr size_t kKeptBytes = 1 << 20;

Tensor tensor_of(const plan::PlannedTensor& planned) {
  if (planned.constant) return planned.constant;
  Tensor made(new TensorImpl);
  made->dtype = planned.dtype;
  made->shape = planned.shape;
  made->strides = planned.strides;
  return made;
}

Value copy_of(const Value& value) {
  static const Op& copy = OpTable::instance().get("copy");
  const Arg args[] = {value};
  return eager::run_one(copy, args);
}

size_t tensor_of_param(const plan::FunctionPlan& plan, size_t param) {
  return static_cast<size_t>(plan.tensor_of_slot[plan.code->params[param]]);
}

}  // namespace

PlannedFrame::PlannedFrame(const plan::FunctionPlan& plan)
    : plan_(plan), bases_(plan.buffers.size(), nullptr) {
  tensors_.reserve(plan.tensors.size());
  for (const plan::PlannedTensor& planned : plan.tensors) tensors_.push_back(tensor_of(planned));
  numbers_.resize(plan.code->slots);
  if (plan.has_residual_stacks) stacks_.resize(plan.code->slots);
  for (const plan::FunctionCode::Constant& constant : plan.code->constants) {
    if (auto* number = constant.value.get<Scalar>()) numbers_[constant.slot] = *number;
  }
  fill_arguments();
}

void PlannedFrame::fill_arguments() {
  for (const Step& step : plan_.steps) {
    std::vector<Arg>& own = args_.emplace_back(step.args);
    for (size_t i = 0; i < step.tensors.size();) {
      const uint16_t arg = step.tensors[i].arg;
      if (step.tensors[i].member < 0) {
        own[arg] = Value(tensors_[step.tensors[i++].tensor]);
        continue;
      }
      ValueList list = *own[arg].get<ValueList>();
      for (; i < step.tensors.size() && step.tensors[i].arg == arg; ++i) {
        list[static_cast<size_t>(step.tensors[i].member)] = tensors_[step.tensors[i].tensor];
      }
      own[arg] = std::move(list);
    }
    auto& results = outs_.emplace_back();
    for (const uint32_t out : step.outs) results.push_back(tensors_[out].get());
  }
}

// Memory.

void PlannedFrame::set_storage(const plan::Buffer& buffer, const Ref<Storage>& storage) {
  for (const uint32_t tensor : buffer.tensors) tensors_[tensor]->storage = storage;
}

void PlannedFrame::bind(uint32_t index, void* base, const Ref<Storage>& storage) {
  const plan::Buffer& buffer = plan_.buffers[index];
  if (buffer.needs_storage) set_storage(buffer, storage);
  if (bases_[index] == base) return;
  bases_[index] = base;
  for (const uint32_t tensor : buffer.tensors) {
    tensors_[tensor]->data = static_cast<char*>(base) + plan_.tensors[tensor].offset;
  }
}

void PlannedFrame::bind_inputs(std::span<const Arg> args, std::vector<Arg>* owned) {
  owned_ = owned;
  for (size_t i = 0; i < args.size(); ++i) {
    const plan::Slot slot = plan_.code->params[i];
    if (auto* number = args[i].get<Scalar>()) numbers_[slot] = *number;
    if (!plan_.has_residual_stacks || slot == plan::kNoSlot) continue;
    if (!plan::is_residual_stack(*plan_.code->function->params[i])) continue;
    stacks_[slot] = *args[i].get<Value>();
    if (owned) (*owned)[i] = {};
  }
  for (const uint32_t i : plan_.bound_buffers) {
    if (plan_.buffers[i].source != Source::kParam) continue;
    const TensorImpl& tensor = as_tensor(*args[plan_.buffers[i].index].get<Value>());
    bind(i, tensor.data, tensor.storage);
  }
}

void PlannedFrame::open() {
  next_param_ = 0;
  start_owned(0);
  if (arena_) return;
  arena_ = Storage::allocate(plan_.arena_bytes);
  const bool moved = arena_->data() != arena_base_;
  arena_base_ = arena_->data();
  for (uint32_t i = 0; i < plan_.buffers.size(); ++i) {
    const plan::Buffer& buffer = plan_.buffers[i];
    if (buffer.source != Source::kArena || !(moved || buffer.needs_storage)) continue;
    bind(i, static_cast<char*>(arena_->data()) + buffer.offset, arena_);
  }
}

void PlannedFrame::close() {
  owned_ = nullptr;
  for (Value& stack : stacks_) stack = {};
  for (const uint32_t i : plan_.bound_buffers) {
    if (plan_.buffers[i].needs_storage) set_storage(plan_.buffers[i], {});
  }
  if (plan_.arena_bytes <= kKeptBytes) return;
  for (const plan::Buffer& buffer : plan_.buffers) {
    if (buffer.source == Source::kArena && buffer.needs_storage) set_storage(buffer, {});
  }
  arena_ = {};
}

void PlannedFrame::start_owned(size_t next) {
  next_owned_ = next;
  const auto& starts = plan_.owned_starts;
  next_owned_step_ = next < starts.size() ? plan_.buffers[starts[next]].first : UINT32_MAX;
}

void PlannedFrame::allocate_owned(uint32_t step) {
  while (next_owned_step_ <= step) {
    const uint32_t i = plan_.owned_starts[next_owned_];
    const Ref<Storage> storage = Storage::allocate(plan_.buffers[i].bytes);
    bind(i, storage->data(), storage);
    start_owned(next_owned_ + 1);
  }
}

void PlannedFrame::release_params(uint32_t step) {
  for (; next_param_ < plan_.param_ends.size(); ++next_param_) {
    const plan::Buffer& buffer = plan_.buffers[plan_.param_ends[next_param_]];
    if (buffer.last > step) return;
    set_storage(buffer, {});
    (*owned_)[buffer.index] = {};
  }
}

void PlannedFrame::adopt(uint32_t tensor, const Value& value) {
  const Value given = value->contiguous() ? value : copy_of(value);
  bind(plan_.tensors[tensor].buffer, given->data, as_tensor(given).storage);
}

// Operands.

std::vector<Arg> PlannedFrame::passed_arguments(const Step& step) {
  std::vector<Arg> args = arguments(step);
  for (const Step::TensorOperand& operand : step.tensors) {
    args[operand.arg] = Value(alias_of(*tensors_[operand.tensor]));
  }
  return args;
}

Value PlannedFrame::residual(const Step& step, size_t operand) const {
  const Passed& passed = step.passed[operand];
  if (passed.tensor < 0) return stacks_[passed.slot];
  const Value tensor(alias_of(*tensors_[static_cast<size_t>(passed.tensor)]));
  return step.copies ? copy_of(tensor) : tensor;
}

bool PlannedFrame::truth_of(const Passed& value) const {
  if (value.tensor < 0) return numbers_[value.slot].to_bool();
  return element_of(static_cast<uint32_t>(value.tensor)).to_bool();
}

std::vector<int64_t> PlannedFrame::callee_symbols(const Step& step) const {
  return DynamicFrame::unbound(*step.step->functions[0]);
}

// Results.

void PlannedFrame::set_value(plan::Slot slot, const Value& value) {
  const int tensor = plan_.tensor_of_slot[slot];
  if (tensor < 0) {
    stacks_[slot] = value;
  } else {
    adopt(static_cast<uint32_t>(tensor), value);
  }
}

void PlannedFrame::take_results(const Step& step, std::span<const Arg> results) {
  for (size_t i = 0; i < results.size(); ++i) {
    const plan::Slot slot = step.step->results[i];
    if (slot == plan::kNoSlot) continue;
    if (auto* number = results[i].get<Scalar>()) {
      set_number(slot, *number);
    } else {
      set_value(slot, *results[i].get<Value>());
    }
  }
}

void PlannedFrame::write_results(const Step& step, std::span<const Arg> results) {
  static const Op& assign = OpTable::instance().get("assign");
  for (size_t i = 0; i < results.size(); ++i) {
    const Tensor& target = tensors_[step.outs[i]];
    ValueImpl* place = target.get();
    const Arg args[] = {Value(target), results[i]};
    eager::launch(assign, eager::kernel_of(assign), args, {&place, 1}, step.long_work);
  }
  bump_versions(step);
}

void PlannedFrame::add_results(std::span<const Arg> args, std::vector<Arg>& results) const {
  for (const plan::ResultPlan& result : plan_.results) {
    if (result.way == Way::kNone) {
      results.emplace_back();
    } else if (result.way == Way::kNumber) {
      results.emplace_back(numbers_[result.slot]);
    } else if (result.way == Way::kResidualStack) {
      results.emplace_back(stacks_[result.slot]);
    } else {
      const plan::Buffer& buffer = plan_.buffers[plan_.tensors[result.tensor].buffer];
      const bool is_param = buffer.source == Source::kParam;
      if (is_param && tensor_of_param(plan_, buffer.index) == result.tensor) {
        results.push_back(args[buffer.index]);
        continue;
      }
      Value given(alias_of(*tensors_[result.tensor]));
      // A step without a kernel may have handed on one of its operands.
      if (as_tensor(given).storage == arena_) given = copy_of(given);
      results.emplace_back(std::move(given));
    }
  }
}

// Kernels.

void PlannedFrame::require_writable(const Step& step) const {
  for (const uint32_t tensor : step.written) {
    TensorImpl& target = eager::require_writable(*step.op, Value(tensors_[tensor]));
    if (step.preserves) target.storage->preserve();
  }
}

void PlannedFrame::bump_versions(const Step& step) const {
  for (const uint32_t tensor : step.written) Writes::add(*tensors_[tensor]->storage);
}

void PlannedFrame::apply(const Step& step) {
  const std::vector<Arg>& args = arguments(step);
  if (step.kernel.run) {
    const bool writes = !step.written.empty();
    if (writes) require_writable(step);
    eager::launch(*step.op, step.kernel, args, outs_[step.index], step.long_work);
    if (writes) bump_versions(step);
    return;
  }
  ValueList results;
  eager::run(*step.op, args, results);
  for (size_t i = 0; i < step.outs.size(); ++i) adopt(step.outs[i], results[i]);
}

bool PlannedFrame::run_generated(const Step& step, const Run&) {
  require_writable(step);
  if (!step.launch) return false;
  SmallVector<const void*, 32> operands;
  SmallVector<void*, 32> results;
  for (const auto& operand : step.tensors) operands.push_back(tensors_[operand.tensor]->data);
  for (const uint32_t out : step.outs) results.push_back(tensors_[out]->data);
  {
    const eager::ReleaseHostLock meanwhile(step.long_work);
    const FusedProfile profile;
    step.launch->run(operands.data(), results.data());
    if (profile.on()) [[unlikely]] {
      std::vector<const ValueImpl*> read;
      for (const auto& operand : step.tensors) read.push_back(tensors_[operand.tensor].get());
      profile.done(step.code->name(), *step.step->functions[0]->function, read, outs_[step.index]);
    }
  }
  bump_versions(step);
  return true;
}

// Inputs.

Fit fit_of(const plan::FunctionPlan& plan, std::span<const Arg> args) {
  Fit found = Fit::kYes;
  for (size_t i = 0; i < args.size(); ++i) {
    auto* value = args[i].get<Value>();
    if (!value || plan.tensor_of_slot[plan.code->params[i]] < 0) continue;
    const plan::PlannedTensor& planned = plan.tensors[tensor_of_param(plan, i)];
    const ValueImpl& tensor = **value;
    const bool here = tensor.data && tensor.device.kind == DeviceKind::kCpu;
    if (!here || tensor.dtype != planned.dtype || tensor.shape != planned.shape) return Fit::kNo;
    if (tensor.contiguous()) continue;
    if (!plan.copyable[i]) return Fit::kNo;
    found = Fit::kAfterCopies;
  }
  return found;
}

void make_row_major(std::span<Arg> args) {
  for (Arg& arg : args) {
    auto* value = arg.get<Value>();
    if (value && !(*value)->contiguous()) arg = copy_of(*value);
  }
}

}  // namespace dyad::execute
