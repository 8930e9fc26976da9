#include "compile/frame.h"

namespace dyad::compile {

namespace {

using Source = Root::Source;

/// A frame keeps no more than this between runs; the allocator's cache finds larger memory again.
constexpr size_t kKeptBytes = 1 << 20;

Tensor tensor_of(const Cell& cell) {
  if (cell.constant) return cell.constant;
  Tensor made(new TensorImpl);
  made->dtype = cell.dtype;
  made->shape = cell.shape;
  made->strides = cell.strides;
  return made;
}

}  // namespace

Frame::Frame(const FunctionPlan& plan) : plan(plan), bases_(plan.roots.size(), nullptr) {
  cells.reserve(plan.cells.size());
  for (const Cell& cell : plan.cells) cells.push_back(tensor_of(cell));
  numbers.resize(plan.code->slots);
  if (plan.has_histories) histories.resize(plan.code->slots);
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
        own[arg] = Value(cells[step.tensors[i++].cell]);
        continue;
      }
      ValueList list = *own[arg].get<ValueList>();
      for (; i < step.tensors.size() && step.tensors[i].arg == arg; ++i) {
        list[static_cast<size_t>(step.tensors[i].member)] = cells[step.tensors[i].cell];
      }
      own[arg] = std::move(list);
    }
    auto& results = outs.emplace_back();
    for (const uint32_t out : step.outs) results.push_back(cells[out].get());
  }
}

void Frame::set_storage(const Root& root, const Ref<Storage>& storage) {
  for (const uint32_t cell : root.cells) cells[cell]->storage = storage;
}

void Frame::bind(uint32_t index, void* base, const Ref<Storage>& storage) {
  const Root& root = plan.roots[index];
  if (root.needs_storage) set_storage(root, storage);
  if (bases_[index] == base) return;
  bases_[index] = base;
  for (const uint32_t cell : root.cells) {
    cells[cell]->data = static_cast<char*>(base) + plan.cells[cell].offset;
  }
}

void Frame::open() {
  if (!arena) {
    arena = Storage::allocate(plan.arena_bytes);
    const bool moved = arena->data() != arena_base_;
    arena_base_ = arena->data();
    for (uint32_t i = 0; i < plan.roots.size(); ++i) {
      const Root& root = plan.roots[i];
      if (root.source != Source::kArena || !(moved || root.needs_storage)) continue;
      bind(i, static_cast<char*>(arena->data()) + root.offset, arena);
    }
  }
}

void Frame::allocate(uint32_t root) {
  const Ref<Storage> storage = Storage::allocate(plan.roots[root].bytes);
  bind(root, storage->data(), storage);
}

void Frame::close() {
  for (Value& history : histories) history = {};
  for (const uint32_t i : plan.bound_roots) {
    if (plan.roots[i].needs_storage) set_storage(plan.roots[i], {});
  }
  if (plan.arena_bytes <= kKeptBytes) return;
  for (const Root& root : plan.roots) {
    if (root.source == Source::kArena && root.needs_storage) set_storage(root, {});
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
