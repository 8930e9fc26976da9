#pragma once

#include "compile/frame.h"
#include "eager/profile.h"

namespace dyad::compile {

/// While it lives, the code of this step runs: a profile names it and the operators that it computes.
class ProfiledFusion {
 public:
  ProfiledFusion(const PlannedStep& step, const Frame& frame) : on_(eager::profiled()) {
    if (on_) [[unlikely]]
      begin(step, frame);
  }
  ProfiledFusion(const ProfiledFusion&) = delete;
  ProfiledFusion& operator=(const ProfiledFusion&) = delete;
  ~ProfiledFusion() {
    if (on_) [[unlikely]]
      end();
  }

 private:
  void begin(const PlannedStep& step, const Frame& frame);
  void end();

  bool on_;
  eager::KernelRun run_;
};

}  // namespace dyad::compile
