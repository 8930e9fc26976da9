#pragma once

#include "base/parallel.h"

namespace dyad {

/// What a grain of `parallel_for` takes, in nanoseconds: where waking threads takes longer than that, each of
/// them gets more than one. A grain of 1 says that every item is worth a thread by itself.
inline constexpr int64_t kGrainTime = 4000;

/// How many threads are worth waking for so many grains of work; 1 on a thread that shares work already.
int worthwhile_threads(double grains);

namespace parallel_detail {
void run_pieces(int64_t count, int64_t piece, int threads, Range range, const void* body);
}  // namespace parallel_detail

/// `parallel_for` of a caller that knows how many threads its work is worth and how large the pieces should
/// be.
template <class Body>
void parallel_pieces(int64_t count, int64_t piece, int threads, const Body& body) {
  parallel_detail::run_pieces(
      count, piece, threads,
      [](const void* opaque, int64_t begin, int64_t end) { (*static_cast<const Body*>(opaque))(begin, end); },
      &body);
}

}  // namespace dyad
