#include "base/parallel.h"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>

#include "base/region_threads.h"

namespace dyad {

namespace {

std::atomic<InterruptCheck> interrupt_check{nullptr};
std::atomic<int> chosen_threads{0};

// A child of fork() has none of its parent's worker threads, and the OpenMP runtime would wait for them for
// ever: the child works on one thread.
void work_alone_after_fork() {
  chosen_threads.store(1);
  omp_set_num_threads(1);
}

const bool fork_watched = [] {
  pthread_atfork(nullptr, nullptr, work_alone_after_fork);
  return true;
}();

using Clock = std::chrono::steady_clock;
constexpr auto kInterruptInterval = std::chrono::milliseconds(100);

// Work is handed out in pieces so that uneven cores even out and an interrupt is noticed within a piece.
constexpr int64_t kPiecesPerThread = 32;

/// Looks now and then whether the user wants to stop; lives on the thread that called the operator.
class InterruptWatch {
 public:
  void look() {
    const auto now = Clock::now();
    if (now - last_look_ < kInterruptInterval) return;
    last_look_ = now;
    if (InterruptCheck check = interrupt_check.load()) check();
  }

 private:
  Clock::time_point last_look_ = Clock::now();
};

void run_alone(int64_t count, int64_t piece, parallel_detail::Range range, const void* body) {
  InterruptWatch watch;
  for (int64_t begin = 0; begin < count; begin += piece) {
    range(body, begin, std::min(count, begin + piece));
    watch.look();
  }
}

}  // namespace

int region_threads() { return omp_get_max_threads(); }

void set_region_threads(int threads) { omp_set_num_threads(threads); }

int thread_count() {
  int chosen = chosen_threads.load(std::memory_order_relaxed);
  return chosen > 0 ? chosen : omp_get_max_threads();
}

void set_thread_count(int threads) {
  chosen_threads.store(std::max(1, threads));
  omp_set_num_threads(std::max(1, threads));
}

void check_interrupt() {
  if (InterruptCheck check = interrupt_check.load()) check();
}

void set_interrupt_check(InterruptCheck check) { interrupt_check.store(check); }

namespace parallel_detail {

void run(int64_t count, int64_t grain, Range range, const void* body) {
  const int threads = static_cast<int>(std::min<int64_t>(thread_count(), (count + grain - 1) / grain));
  if (omp_in_parallel()) return range(body, 0, count);
  const int64_t pieces = std::max(threads, 1) * kPiecesPerThread;
  const int64_t piece = std::max(grain, (count + pieces - 1) / pieces);
  if (threads <= 1) return run_alone(count, piece, range, body);

  std::atomic<int64_t> next{0};
  std::atomic<bool> stopped{false};
  std::exception_ptr failure;
  std::mutex failure_guard;
  auto fail = [&] {
    std::lock_guard lock(failure_guard);
    if (!failure) failure = std::current_exception();
    stopped.store(true);
  };
#pragma omp parallel num_threads(threads)
  {
    const bool caller = omp_get_thread_num() == 0;
    InterruptWatch watch;
    while (!stopped.load(std::memory_order_relaxed)) {
      int64_t begin = next.fetch_add(piece);
      if (begin >= count) break;
      try {
        range(body, begin, std::min(count, begin + piece));
        if (caller) watch.look();
      } catch (...) {
        fail();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace parallel_detail
}  // namespace dyad
