#pragma once

#include "compile/plan.h"

namespace dyad::compile {

/// What one run of a planned function works on: its planned_tensors as tensors, and for each step the
/// arguments of its kernel, ready. A frame is used again and again; a run only says where the memory is that
/// differs.
struct Frame {
  explicit Frame(const FunctionPlan& plan);

  /// Says where a buffer lies.
  void bind(uint32_t buffer, void* base, const Ref<Storage>& storage);
  /// Nothing will use the buffer any more in this run.
  void unbind(uint32_t buffer) { set_storage(plan.buffers[buffer], {}); }
  /// Gets the memory for the frame's own planned_tensors.
  void open();
  /// Gets memory for what the run gives away.
  void allocate(uint32_t buffer);
  /// Lets go of all memory that is not the frame's own, and of that too if it is large.
  void close();

  const FunctionPlan& plan;
  std::vector<Tensor> planned_tensors;
  std::vector<Scalar> numbers;  ///< by slot
  std::vector<Value> stacks;    ///< by slot; empty for a function without any
  std::vector<std::vector<Arg>> args;
  std::vector<std::vector<ValueImpl*>> outs;
  Ref<Storage> arena;

 private:
  void fill_arguments();
  void set_storage(const Buffer& buffer, const Ref<Storage>& storage);

  std::vector<void*> bases_;  ///< where each buffer was last
  void* arena_base_ = nullptr;
};

/// A frame of the function, for as long as this lives.
class FrameHolder {
 public:
  explicit FrameHolder(const FunctionPlan& plan);
  ~FrameHolder();
  FrameHolder(const FrameHolder&) = delete;
  FrameHolder& operator=(const FrameHolder&) = delete;
  Frame& operator*() const { return *frame_; }
  Frame* operator->() const { return frame_.get(); }

 private:
  const FunctionPlan& plan_;
  std::unique_ptr<Frame> frame_;
};

}  // namespace dyad::compile
