#include "execute/frame.h"

namespace dyad::execute {

namespace {

using Source = plan::Buffer::Source;

/// A frame keeps no more than this between runs; the allocator's cache finds larger memory again.
constexpr size_t kKeptBytes = 1 << 20;

Tensor tensor_of(const plan::PlannedTensor& planned_tensor) {
  if (planned_tensor.constant) return planned_tensor.constant;
  Tensor made(new TensorImpl);
  made->dtype = planned_tensor.dtype;
  made->shape = planned_tensor.shape;
  made->strides = planned_tensor.strides;
  return made;
}

}  // namespace

Frame::Frame(const plan::FunctionPlan& planned)
    : function(planned), bases_(function.buffers.size(), nullptr) {
  planned_tensors.reserve(function.planned_tensors.size());
  for (const plan::PlannedTensor& planned_tensor : function.planned_tensors)
    planned_tensors.push_back(tensor_of(planned_tensor));
  numbers.resize(function.code->slots);
  if (function.has_histories) stacks.resize(function.code->slots);
  for (const plan::FunctionCode::Constant& constant : function.code->constants) {
    if (auto* number = constant.value.get<Scalar>()) numbers[constant.slot] = *number;
  }
  fill_arguments();
}

void Frame::fill_arguments() {
  for (const plan::PlannedStep& step : function.steps) {
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

void Frame::set_storage(const plan::Buffer& buffer, const Ref<Storage>& storage) {
  for (const uint32_t planned_tensor : buffer.planned_tensors)
    planned_tensors[planned_tensor]->storage = storage;
}

void Frame::bind(uint32_t index, void* base, const Ref<Storage>& storage) {
  const plan::Buffer& buffer = function.buffers[index];
  if (buffer.needs_storage) set_storage(buffer, storage);
  if (bases_[index] == base) return;
  bases_[index] = base;
  for (const uint32_t planned_tensor : buffer.planned_tensors) {
    planned_tensors[planned_tensor]->data =
        static_cast<char*>(base) + function.planned_tensors[planned_tensor].offset;
  }
}

void Frame::open() {
  if (!arena) {
    arena = Storage::allocate(function.arena_bytes);
    const bool moved = arena->data() != arena_base_;
    arena_base_ = arena->data();
    for (uint32_t i = 0; i < function.buffers.size(); ++i) {
      const plan::Buffer& buffer = function.buffers[i];
      if (buffer.source != Source::kArena || !(moved || buffer.needs_storage)) continue;
      bind(i, static_cast<char*>(arena->data()) + buffer.offset, arena);
    }
  }
}

void Frame::allocate(uint32_t buffer) {
  const Ref<Storage> storage = Storage::allocate(function.buffers[buffer].bytes);
  bind(buffer, storage->data(), storage);
}

void Frame::close() {
  for (Value& stack : stacks) stack = {};
  for (const uint32_t i : function.bound_buffers) {
    if (function.buffers[i].needs_storage) set_storage(function.buffers[i], {});
  }
  if (function.arena_bytes <= kKeptBytes) return;
  for (const plan::Buffer& buffer : function.buffers) {
    if (buffer.source == Source::kArena && buffer.needs_storage) set_storage(buffer, {});
  }
  arena = {};
}

FramePool::~FramePool() { delete spare_.load(); }

std::unique_ptr<Frame> FramePool::take(const plan::FunctionPlan& function) {
  std::unique_ptr<Frame> frame(spare_.exchange(nullptr));
  if (frame) return frame;
  {
    const std::lock_guard lock(guard_);
    if (!frames_.empty()) {
      frame = std::move(frames_.back());
      frames_.pop_back();
    }
  }
  return frame ? std::move(frame) : std::make_unique<Frame>(function);
}

void FramePool::put_back(std::unique_ptr<Frame> frame) {
  Frame* expected = nullptr;
  if (spare_.compare_exchange_strong(expected, frame.get())) {
    frame.release();
    return;
  }
  const std::lock_guard lock(guard_);
  frames_.push_back(std::move(frame));
}

FrameHolder::FrameHolder(FramePool& pool, const plan::FunctionPlan& function)
    : pool_(pool), frame_(pool.take(function)) {}

FrameHolder::~FrameHolder() {
  frame_->close();
  pool_.put_back(std::move(frame_));
}

}  // namespace dyad::execute
