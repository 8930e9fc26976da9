#pragma once

#include "execute/frame_pool.h"

namespace dyad::execute {

/// A planned function that a step calls; as `DynamicFrame::Call`.
class PlannedFrame::Call {
 public:
  Call(const Step& step, size_t function, PlannedFrame& caller, Run& run);
  PlannedFrame& frame() { return *callee_; }
  void finish() { callee_->give_results(caller_, step_.given); }

 private:
  const Step& step_;
  PlannedFrame& caller_;
  FrameHolder callee_;
};

/// A planned loop that is under way; as `DynamicFrame::Loop`. A variable goes back and forth between two
/// places where its next value may not be written over the last one.
class PlannedFrame::Loop {
 public:
  Loop(const Step& step, PlannedFrame& caller, Run& run);
  PlannedFrame& enter_condition();
  bool leave_condition() const;
  PlannedFrame& enter_body();
  void leave_body();
  /// Variables are moved to where the results lie.
  void finish();

 private:
  void start_variables();

  const Step& step_;
  PlannedFrame& caller_;
  FrameHolder condition_;
  FrameHolder body_;
  std::vector<Passed> current_;  ///< the variables, and what stays what it is
  std::vector<Passed> next_;     ///< the variables after the turn
  alignas(64) char truth_[64];   ///< where the condition's result lies, if it is a tensor
};

}  // namespace dyad::execute
