#pragma once

namespace dyad::eager {

/// While it lives, the host's other threads may run: for work that is long enough to be worth it and asks
/// nothing of the host.
class OthersRun {
 public:
  explicit OthersRun(bool long_work);
  ~OthersRun();
  OthersRun(const OthersRun&) = delete;
  OthersRun& operator=(const OthersRun&) = delete;

 private:
  void* state_ = nullptr;
  bool released_;
};

}  // namespace dyad::eager
