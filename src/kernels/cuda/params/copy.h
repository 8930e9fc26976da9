#pragma once

#include "kernels/cuda/params/strided.h"

namespace dyad::cuda {

/// Elements moved from one strided place to another.
struct CopyParams {
  void* out;
  const void* in;
  uint32_t count;
  StridedIndex<2> index;
};

/// The same, converted on the way.
struct CastParams {
  void* out;
  const void* in;
  uint32_t count;
  uint32_t dtype;  ///< of the result
  StridedIndex<2> index;
};

/// Transposes planes of `rows` x `columns` elements: the result lies along columns, the source along rows.
struct TransposeParams {
  void* out;
  const void* in;
  int64_t rows;
  int64_t columns;
  int64_t out_row;    ///< from one row to the next, in elements
  int64_t in_column;  ///< from one column to the next
  int64_t out_plane;
  int64_t in_plane;
};
inline constexpr int kTransposeTile = 32;
inline constexpr int kTransposeRows = 8;  ///< that a block of threads handles at once

}  // namespace dyad::cuda
