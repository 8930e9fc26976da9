#pragma once

#include <cstdint>

namespace dyad::autograd {

class Reads;

/// Whether and for whom this thread records.
struct State {
  int depth = 0;           ///< transforms under way, one inside the other
  uint64_t recording = 0;  ///< the outermost of them; 0 for none
  bool enabled = true;     ///< false inside `no_grad`
  int tracking = 0;        ///< calls of `track` on this thread that are not taken back
  Reads* reads = nullptr;  ///< who wants to know what is read while recording is off
  /// Inside `no_grad`: what a graph that is being written down computes here is constant for code that
  /// differentiates the graph.
  bool constant = false;
  /// A transform goes through what it recorded more often than `depth` tells: compiled programs are recorded
  /// operator by operator, which any number of derivatives can be taken of.
  bool each_operator = false;
  bool pushes =
      false;  ///< tangents are pushed along the tape: compiled loops are recorded by their operators
};
State& state();

/// A transform begins or ends on this thread. What is recorded between the two belongs to the outermost one;
/// when that ends, tensors left over count as constants, and its steps are closed unless they are kept
/// to differentiate them later.
void enter_transform();
void exit_transform(bool keep = false);

/// While it lives, what this thread computes is constant, as inside `no_grad`; if `constant` is false,
/// nothing changes.
class ConstantRegion {
 public:
  explicit ConstantRegion(bool constant) : enabled_(state().enabled), constant_(state().constant) {
    if (!constant) return;
    state().enabled = false;
    state().constant = true;
  }
  ConstantRegion(const ConstantRegion&) = delete;
  ConstantRegion& operator=(const ConstantRegion&) = delete;
  ~ConstantRegion() {
    state().enabled = enabled_;
    state().constant = constant_;
  }

 private:
  bool enabled_;
  bool constant_;
};

/// Recording is off, or on, while it lives.
class RecordingSwitch {
 public:
  explicit RecordingSwitch(bool enabled) : before_(state().enabled) { state().enabled = enabled; }
  RecordingSwitch(const RecordingSwitch&) = delete;
  RecordingSwitch& operator=(const RecordingSwitch&) = delete;
  ~RecordingSwitch() { state().enabled = before_; }

 private:
  bool before_;
};

}  // namespace dyad::autograd
