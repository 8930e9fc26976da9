#pragma once

namespace dyad::eager {

/// While it lives, the host's other threads may run: for work that is long enough to be worth it and asks
/// nothing of the host.
class ReleaseHostLock {
 public:
  explicit ReleaseHostLock(bool long_work);
  ~ReleaseHostLock();
  ReleaseHostLock(const ReleaseHostLock&) = delete;
  ReleaseHostLock& operator=(const ReleaseHostLock&) = delete;

 private:
  void* state_ = nullptr;
  bool released_;
};

}  // namespace dyad::eager
