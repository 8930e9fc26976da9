#include "execute/frame_pool.h"

namespace dyad::execute {

FramePool::~FramePool() { delete spare_.load(); }

std::unique_ptr<PlannedFrame> FramePool::take_another(const plan::FunctionPlan& function) {
  {
    const std::lock_guard lock(guard_);
    if (!frames_.empty()) {
      std::unique_ptr<PlannedFrame> frame = std::move(frames_.back());
      frames_.pop_back();
      return frame;
    }
  }
  return std::make_unique<PlannedFrame>(function);
}

void FramePool::put_back(std::unique_ptr<PlannedFrame> frame) {
  PlannedFrame* expected = nullptr;
  if (spare_.compare_exchange_strong(expected, frame.get())) {
    frame.release();
    return;
  }
  const std::lock_guard lock(guard_);
  frames_.push_back(std::move(frame));
}

FrameHolder::~FrameHolder() {
  frame_->close();
  pool_.put_back(std::move(frame_));
}

}  // namespace dyad::execute
