#pragma once

#include <cstdint>

namespace dyad::cuda {

/// One stage of a reduction of contiguous elements (outer, reduced, inner). Each of `chunks` parts of the
/// reduced axis, of `length` elements, gives a result of its own: (outer, chunks, inner).
struct ReduceParams {
  void* out;
  const void* in;
  int64_t outer;
  int64_t reduced;
  int64_t inner;
  int64_t chunks;
  int64_t length;
  uint32_t dtype;           ///< of the results
  uint32_t threads_at_row;  ///< 32 or those of a block, where inner is 1
  double scale;             ///< the last stage of a mean multiplies by it
};

inline constexpr unsigned kReduceThreads = 256;

}  // namespace dyad::cuda
