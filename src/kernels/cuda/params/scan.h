#pragma once

#include <cstdint>

namespace dyad::cuda {

/// Work along the lines of a contiguous tensor: `count` elements, `inner` apart.
struct ScanParams {
  const void* in;
  void* out;
  int64_t* where;  ///< of running extremes
  int64_t lines;
  int64_t count;
  int64_t inner;
  uint32_t exclusive;
  uint32_t reverse;
};

/// The gradient of a running product, in float64 or complex128.
struct ProductGradientParams {
  const void* gradient;
  const void* in;
  void* out;
  int64_t lines;
  int64_t count;
  int64_t inner;
  uint32_t exclusive;
  uint32_t reverse;
};

/// The best element of each line, as a value, as an index, or both.
struct ArgmaxParams {
  const void* in;
  void* values;  ///< null where they are not asked for
  void* index;
  uint32_t index_dtype;
  int64_t lines;
  int64_t count;
  int64_t inner;
};

/// Elements of matrices on one side of a diagonal; the others become zero.
struct TriangleParams {
  const void* in;
  void* out;
  int64_t count;
  int64_t rows;
  int64_t columns;
  int64_t diagonal;
  uint32_t upper;
};

/// `on` where the number of the place along the axis is the index, else `off`.
struct OneHotParams {
  const int64_t* index;
  void* out;
  int64_t count;
  int64_t depth;
  int64_t inner;
  const void* on_at;   ///< on the device; null: `on`
  const void* off_at;  ///< null: `off`
  alignas(16) char on[16];
  alignas(16) char off[16];
};

}  // namespace dyad::cuda
