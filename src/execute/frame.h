#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "plan/plan.h"

namespace dyad::execute {

/// What one run of a planned function works on: its planned_tensors as tensors, and for each step the
/// arguments of its kernel, ready. A frame is used again and again; a run only says where the memory is that
/// differs.
struct Frame {
  explicit Frame(const plan::FunctionPlan& planned);

  /// Says where a buffer lies.
  void bind(uint32_t buffer, void* base, const Ref<Storage>& storage);
  /// Nothing will use the buffer any more in this run.
  void unbind(uint32_t buffer) { set_storage(function.buffers[buffer], {}); }
  /// Gets the memory for the frame's own planned_tensors.
  void open();
  /// Gets memory for what the run gives away.
  void allocate(uint32_t buffer);
  /// Lets go of all memory that is not the frame's own, and of that too if it is large.
  void close();

  const plan::FunctionPlan& function;  ///< as planned
  std::vector<Tensor> planned_tensors;
  std::vector<Scalar> numbers;  ///< by slot
  std::vector<Value> stacks;    ///< by slot; empty for a function without any
  std::vector<std::vector<Arg>> args;
  std::vector<std::vector<ValueImpl*>> outs;
  Ref<Storage> arena;

 private:
  void fill_arguments();
  void set_storage(const plan::Buffer& buffer, const Ref<Storage>& storage);

  std::vector<void*> bases_;  ///< where each buffer was last
  void* arena_base_ = nullptr;
};

/// The frames of a function that are not in use. The first one is taken without a lock.
class FramePool {
 public:
  FramePool() = default;
  ~FramePool();
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  std::unique_ptr<Frame> take(const plan::FunctionPlan& function);
  void put_back(std::unique_ptr<Frame> frame);

 private:
  std::atomic<Frame*> spare_{nullptr};
  std::mutex guard_;
  std::vector<std::unique_ptr<Frame>> frames_;
};

/// A frame of the function, for as long as this lives.
class FrameHolder {
 public:
  FrameHolder(FramePool& pool, const plan::FunctionPlan& function);
  ~FrameHolder();
  FrameHolder(const FrameHolder&) = delete;
  FrameHolder& operator=(const FrameHolder&) = delete;
  Frame& operator*() const { return *frame_; }
  Frame* operator->() const { return frame_.get(); }

 private:
  FramePool& pool_;
  std::unique_ptr<Frame> frame_;
};

}  // namespace dyad::execute
