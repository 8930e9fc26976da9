#pragma once

#include <cstdint>

namespace dyad {

/// Splits [0, count) into ranges of at least `grain` items and runs `body(begin, end)` on them, on several
/// cores when there is more than one range. The caller takes part; small work stays on its thread. An
/// exception in a range surfaces in the caller. Nested calls run on the calling thread.
template <class Body>
void parallel_for(int64_t count, int64_t grain, const Body& body);

/// How many threads parallel work of the calling thread may use. Until a number is chosen these follow the
/// CPUs: the affinity mask and the CPU quota, also when they change.
int thread_count();
/// How many of them share work now: fewer while other processes keep CPUs busy. How work is split must not
/// depend on it, so that results are the same on a busy machine.
int active_threads();
/// Looks whether CPUs have come or gone, at most every 100 ms; parallel work does so when it begins.
void follow_cpus();
/// Chooses the number of threads for the process; 0 lets it follow the CPUs.
void set_thread_count(int threads);

/// Asks the host (Python) whether the user wants to stop; called now and then during long work on the thread
/// that called the operator. May throw. Empty in a C++ program.
using InterruptCheck = void (*)();
void set_interrupt_check(InterruptCheck check);
/// Asks now; for loops that may go on forever.
void check_interrupt();

namespace parallel_detail {
using Range = void (*)(const void* body, int64_t begin, int64_t end);
void run(int64_t count, int64_t grain, Range range, const void* body);
}  // namespace parallel_detail

template <class Body>
void parallel_for(int64_t count, int64_t grain, const Body& body) {
  if (count <= grain) {
    if (count > 0) body(int64_t{0}, count);
    return;
  }
  parallel_detail::run(
      count, grain,
      [](const void* opaque, int64_t begin, int64_t end) { (*static_cast<const Body*>(opaque))(begin, end); },
      &body);
}

}  // namespace dyad
