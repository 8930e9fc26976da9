#include "compile/frame.h"

namespace dyad::compile {

namespace {

using Source = Buffer::Source;

/// A frame keeps no more than this between runs; the allocator's cache finds larger memory again.
constexpr size_t kKeptBytes = 1 << 20;

Tensor tensor_of(const PlannedTensor& planned_tensor) {
  if (planned_tensor.constant) return planned_tensor.constant;
  Tensor made(new TensorImpl);
  made->dtype = planned_tensor.dtype;
  made->shape = planned_tensor.shape;
  made->strides = planned_tensor.strides;
  return made;
}

}  // namespace

Frame::Frame(const FunctionPlan& plan) : plan(plan), bases_(plan.buffers.size(), nullptr) {
  planned_tensors.reserve(plan.planned_tensors.size());
  for (const PlannedTensor& planned_tensor : plan.planned_tensors)
    planned_tensors.push_back(tensor_of(planned_tensor));
  numbers.resize(plan.code->slots);
  if (plan.has_histories) stacks.resize(plan.code->slots);
  for (const FunctionCode::Constant& constant : plan.code->constants) {
    if (auto* number = constant.value.get<Scalar>()) numbers[constant.slot] = *number;
  }
  fill_arguments();
}

void Frame::fill_arguments() {
  for (const PlannedStep& step : plan.steps) {
    std::vector<Arg>& own = args.emplace_back(step.args);
    for (size_t i = 0; i < step.tensors.size();) {
      const uint16_t arg = step.tensors[i].arg;
      if (step.tensors[i].member < 0) {
        own[arg] = Value(planned_tensors[step.tensors[i++].planned_tensor]);
        continue;
      }
      ValueList list = *own[arg].get<ValueList>();
      for (; i < step.tensors.size() && step.tensors[i].arg == arg; ++i) {
        list[static_cast<size_t>(step.tensors[i].member)] = planned_tensors[step.tensors[i].planned_tensor];
      }
      own[arg] = std::move(list);
    }
    auto& results = outs.emplace_back();
    for (const uint32_t out : step.outs) results.push_back(planned_tensors[out].get());
  }
}

void Frame::set_storage(const Buffer& buffer, const Ref<Storage>& storage) {
  for (const uint32_t planned_tensor : buffer.planned_tensors)
    planned_tensors[planned_tensor]->storage = storage;
}

void Frame::bind(uint32_t index, void* base, const Ref<Storage>& storage) {
  const Buffer& buffer = plan.buffers[index];
  if (buffer.needs_storage) set_storage(buffer, storage);
  if (bases_[index] == base) return;
  bases_[index] = base;
  for (const uint32_t planned_tensor : buffer.planned_tensors) {
    planned_tensors[planned_tensor]->data =
        static_cast<char*>(base) + plan.planned_tensors[planned_tensor].offset;
  }
}

void Frame::open() {
  if (!arena) {
    arena = Storage::allocate(plan.arena_bytes);
    const bool moved = arena->data() != arena_base_;
    arena_base_ = arena->data();
    for (uint32_t i = 0; i < plan.buffers.size(); ++i) {
      const Buffer& buffer = plan.buffers[i];
      if (buffer.source != Source::kArena || !(moved || buffer.needs_storage)) continue;
      bind(i, static_cast<char*>(arena->data()) + buffer.offset, arena);
    }
  }
}

void Frame::allocate(uint32_t buffer) {
  const Ref<Storage> storage = Storage::allocate(plan.buffers[buffer].bytes);
  bind(buffer, storage->data(), storage);
}

void Frame::close() {
  for (Value& stack : stacks) stack = {};
  for (const uint32_t i : plan.bound_buffers) {
    if (plan.buffers[i].needs_storage) set_storage(plan.buffers[i], {});
  }
  if (plan.arena_bytes <= kKeptBytes) return;
  for (const Buffer& buffer : plan.buffers) {
    if (buffer.source == Source::kArena && buffer.needs_storage) set_storage(buffer, {});
  }
  arena = {};
}

FrameHolder::FrameHolder(const FunctionPlan& plan) : plan_(plan) {
  frame_.reset(plan.spare.exchange(nullptr));
  if (frame_) return;
  {
    const std::lock_guard lock(plan.guard);
    if (!plan.frames.empty()) {
      frame_ = std::move(plan.frames.back());
      plan.frames.pop_back();
    }
  }
  if (!frame_) frame_ = std::make_unique<Frame>(plan);
}

FrameHolder::~FrameHolder() {
  frame_->close();
  Frame* expected = nullptr;
  if (plan_.spare.compare_exchange_strong(expected, frame_.get())) {
    frame_.release();
    return;
  }
  const std::lock_guard lock(plan_.guard);
  plan_.frames.push_back(std::move(frame_));
}

}  // namespace dyad::compile
