#pragma once

#include <cstdint>

namespace dyad::cuda {

inline constexpr int kProductRank = 8;
/// Rows and columns of a tile of the result; one thread for each of its elements.
inline constexpr int kProductTile = 16;

/// A stack of products c = factor * a @ b (+ bias); strides are in elements.
struct TiledProductParams {
  const void* a;
  const void* b;
  void* c;
  const void* bias;  ///< one element per column, or null
  int64_t m;
  int64_t n;
  int64_t k;
  int64_t a_row;
  int64_t a_column;
  int64_t b_row;
  int64_t b_column;
  int64_t c_row;
  bool accumulate;  ///< to what c holds
  double factor;    ///< of the products, of floats only
  int64_t count;    ///< of the stack
  int rank;         ///< dimensions of the stack
  int64_t sizes[kProductRank];
  int64_t a_batch[kProductRank];
  int64_t b_batch[kProductRank];
  int64_t c_batch[kProductRank];
};

}  // namespace dyad::cuda
