#pragma once

#include "kernels/cuda/cublas_lt.h"

namespace dyad::cuda {

/// A matrix as cuBLASLt reads it: `by_rows` says that its rows follow one another `leading` elements apart,
/// otherwise its columns do. Matrices of a stack are `batch_stride` apart.
struct LtMatrix {
  const void* data;
  bool by_rows;
  int64_t leading;
  int64_t batch_stride;
};

/// c[i] = factor * a[i] @ b[i] (+ bias), or, with `accumulate`, added to what c holds. Rows of c follow one
/// another.
struct LtProducts {
  int device;
  DType dtype;
  int64_t m;
  int64_t n;
  int64_t k;
  int64_t count;  ///< of the stack
  LtMatrix a;
  LtMatrix b;
  LtMatrix c;
  const void* bias;  ///< of float32, float16 or bfloat16, at a multiple of 16 bytes; or null
  bool accumulate;
  bool measured;  ///< whether algorithms are timed at the first use, whatever the sizes
  double factor;  ///< of the products
};

/// Runs them on the current stream; false where the library has no algorithm for them.
bool multiply_by_lt(const LtProducts& products);

}  // namespace dyad::cuda
