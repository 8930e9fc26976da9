#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "execute/planned_frame.h"

namespace dyad::execute {

/// The frames of a planned function that are not in use. The first one is taken without a lock.
class FramePool {
 public:
  FramePool() = default;
  ~FramePool();
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  std::unique_ptr<PlannedFrame> take(const plan::FunctionPlan& function) {
    PlannedFrame* spare = spare_.exchange(nullptr);
    return spare ? std::unique_ptr<PlannedFrame>(spare) : take_another(function);
  }
  void put_back(std::unique_ptr<PlannedFrame> frame);

 private:
  std::unique_ptr<PlannedFrame> take_another(const plan::FunctionPlan& function);

  std::atomic<PlannedFrame*> spare_{nullptr};
  std::mutex guard_;
  std::vector<std::unique_ptr<PlannedFrame>> frames_;
};

/// A frame of the function, for as long as this lives.
class FrameHolder {
 public:
  FrameHolder(FramePool& pool, const plan::FunctionPlan& function)
      : pool_(pool), frame_(pool.take(function)) {}
  ~FrameHolder();
  FrameHolder(const FrameHolder&) = delete;
  FrameHolder& operator=(const FrameHolder&) = delete;
  PlannedFrame& operator*() const { return *frame_; }
  PlannedFrame* operator->() const { return frame_.get(); }

 private:
  FramePool& pool_;
  std::unique_ptr<PlannedFrame> frame_;
};

}  // namespace dyad::execute
