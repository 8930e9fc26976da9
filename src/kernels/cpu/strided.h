#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "types/shape.h"

namespace dyad::kernels {

/// Elements that a kernel handles at a time when it has to gather or convert them first; they stay in the
/// first cache.
inline constexpr int64_t kBlock = 1024;

/// Walks several strided arrays of one shape together. Dimensions that all arrays pass through without a jump
/// are merged, so that most loops end up with one or two. Array 0 is the result by convention.
struct StridedLoop {
  static constexpr size_t kMaxArrays = 5;

  StridedLoop(const Shape& shape, std::initializer_list<Strides> strides);
  StridedLoop(const Shape& shape, const Strides* strides, size_t arrays);

  size_t arrays = 0;
  int64_t total = 0;
  Ints shape;                   ///< merged; at least one dimension
  Strides strides[kMaxArrays];  ///< of each array, merged

  int64_t inner_size() const { return shape.back(); }
  int64_t inner_stride(size_t array) const { return strides[array].back(); }

 private:
  void build(const Shape& full, const Strides* given);
};

/// Calls `body(count, at)` for each run along the innermost dimension that lies in [begin, end) of the linear
/// order; `at[i]` is where the run starts in array i, in elements.
template <class Body>
void for_each_run(const StridedLoop& loop, int64_t begin, int64_t end, const Body& body) {
  const size_t rank = loop.shape.size();
  const int64_t inner = loop.inner_size();
  Ints index(rank, 0);
  int64_t at[StridedLoop::kMaxArrays] = {};
  int64_t rest = begin;
  for (size_t d = rank; d-- > 0;) {
    index[d] = rest % loop.shape[d];
    rest /= loop.shape[d];
    for (size_t a = 0; a < loop.arrays; ++a) at[a] += index[d] * loop.strides[a][d];
  }
  while (begin < end) {
    const int64_t first = index[rank - 1];
    const int64_t count = std::min(inner - first, end - begin);
    body(count, static_cast<const int64_t*>(at));
    begin += count;
    // Back to the start of the run, then one step along the next dimension that has one left.
    for (size_t a = 0; a < loop.arrays; ++a) at[a] -= first * loop.strides[a][rank - 1];
    index[rank - 1] = 0;
    for (size_t d = rank - 1; d-- > 0;) {
      if (++index[d] < loop.shape[d]) {
        for (size_t a = 0; a < loop.arrays; ++a) at[a] += loop.strides[a][d];
        break;
      }
      for (size_t a = 0; a < loop.arrays; ++a) at[a] -= (loop.shape[d] - 1) * loop.strides[a][d];
      index[d] = 0;
    }
  }
}

}  // namespace dyad::kernels
