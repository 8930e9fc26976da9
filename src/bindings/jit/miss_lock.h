#pragma once

#include <cstdint>
#include <thread>

namespace dyad::python {

/// Lets one thread at a time compile for one function; the same thread may enter again. A thread that waits
/// releases Python's global lock, which all members must be called with.
class MissLock {
 public:
  /// True if the lock is now held. False after a wait: another thread has compiled meanwhile, and what was
  /// wanted may be there; then it is not held. An interrupt during the wait raises.
  bool enter();
  void leave();

  /// Holds the lock that `enter` gave until the end of the scope.
  class Hold {
   public:
    explicit Hold(MissLock& lock) : lock_(lock) {}
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() { lock_.leave(); }

   private:
    MissLock& lock_;
  };

 private:
  bool would_deadlock() const;
  void wait();

  std::thread::id owner_;
  int depth_ = 0;
  uint64_t taken_in_ = 0;  ///< see `generation`
};

}  // namespace dyad::python
