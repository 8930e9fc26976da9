#include "bindings/jit/miss_lock.h"

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <unordered_map>

#include "bindings/process/last_thread.h"
#include "bindings/python.h"

namespace dyad::python {

namespace {

/// One place where all waiting threads sleep: waits are rare, and a lock per function is not needed.
std::mutex mutex;
std::condition_variable freed;
uint64_t frees = 0;

/// Which lock each sleeping thread waits for; read and written with Python's global lock.
std::unordered_map<std::thread::id, const MissLock*>& waiting() {
  static std::unordered_map<std::thread::id, const MissLock*> threads;
  return threads;
}

/// How many forks made this process. A lock that was taken before the last of them has no holder, unless
/// by the thread that forked.
uint64_t generation = 0;

void forget_threads() {
  ++generation;
  waiting().clear();
  new (&mutex) std::mutex;
  new (&freed) std::condition_variable;
}
[[maybe_unused]] const int forks_are_seen = pthread_atfork(nullptr, nullptr, forget_threads);

/// Between two looks at pending interrupts.
constexpr std::chrono::milliseconds kNap(50);
/// A thread that compiles may wait for this one in a way that cannot be seen here (it joins it, say). To
/// compile twice is better than to wait for ever.
constexpr int kMostNaps = 200;

}  // namespace

bool MissLock::would_deadlock() const {
  const std::thread::id self = std::this_thread::get_id();
  for (const MissLock* lock = this; lock->depth_ > 0;) {
    if (lock->owner_ == self) return true;
    const auto next = waiting().find(lock->owner_);
    if (next == waiting().end()) return false;
    lock = next->second;
  }
  return false;
}

void MissLock::wait() {
  const std::thread::id self = std::this_thread::get_id();
  waiting()[self] = this;
  struct Done {
    std::thread::id self;
    ~Done() { waiting().erase(self); }
  } const done{self};
  const uint64_t before = [] {
    const std::lock_guard guard(mutex);
    return frees;
  }();
  void* state = release_lock();
  {
    std::unique_lock guard(mutex);
    freed.wait_for(guard, kNap, [before] { return frees != before; });
  }
  acquire_lock(state);
  if (PyErr_CheckSignals() < 0) throw PythonError{};
}

bool MissLock::enter() {
  const std::thread::id self = std::this_thread::get_id();
  if (owner_ != self && taken_in_ != generation) depth_ = 0;
  bool waited = false;
  for (int naps = 0; depth_ > 0 && owner_ != self && naps < kMostNaps && !would_deadlock(); ++naps) {
    wait();
    waited = true;
  }
  if (waited && depth_ == 0) return false;
  // The thread that came first keeps the lock when this one does not wait for it.
  if (depth_ == 0) {
    owner_ = self;
    taken_in_ = generation;
  }
  ++depth_;
  return true;
}

void MissLock::leave() {
  if (--depth_ > 0) return;
  owner_ = {};
  const std::lock_guard guard(mutex);
  ++frees;
  freed.notify_all();
}

}  // namespace dyad::python
