#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "testing/emulated_cuda/memory.h"

namespace dyad::cuda::emulated {

class Stream;

/// A point in a stream's work at which an event was recorded.
struct Mark {
  Stream* stream = nullptr;  ///< null once it is reached
  uint64_t number = 0;
  std::chrono::steady_clock::time_point reached;
};

/// Work in order, done by a thread of its own: late, so that a host that does not wait sees memory as it was.
/// All streams share one lock and one condition.
class Stream {
 public:
  explicit Stream(Memory& memory);
  /// Does the rest, then ends the thread.
  void close();

  void add(std::function<void()> work);
  void wait_until_empty();
  bool is_empty();
  std::shared_ptr<Mark> record();
  /// What is added later waits for the mark.
  void wait_for(std::shared_ptr<Mark> mark);

  static bool is_reached(const Mark& mark);
  static void wait_until_reached(Mark& mark);

 private:
  struct Work {
    std::function<void()> run;
    std::chrono::steady_clock::time_point not_before;
  };
  uint64_t put(std::unique_lock<std::mutex>&, std::function<void()> run);
  void hurry(uint64_t number);
  /// Whether work is there whose time has come, or for which somebody waits.
  bool is_due() const;
  void serve();

  Memory& memory_;
  std::deque<Work> queue_;
  uint64_t added_ = 0;
  uint64_t done_ = 0;
  uint64_t wanted_ = 0;  ///< somebody waits for the work up to here
  bool closing_ = false;
};

}  // namespace dyad::cuda::emulated
