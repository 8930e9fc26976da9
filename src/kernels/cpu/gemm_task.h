#pragma once

#include <cstddef>
#include <cstdint>

#include "types/dtype.h"

namespace dyad::kernels {

/// A matrix anywhere in memory; strides in elements.
struct MatrixView {
  const void* data;
  int64_t row_stride;
  int64_t column_stride;
};

/// c = a @ b (+ bias), for one thread. `c` has unit stride within a row and, for float16 and bfloat16
/// operands, is float32. `bias` has one element per column and `row_bias` one per row, in the type of `c`;
/// one or both are null.
struct GemmTask {
  int64_t m;
  int64_t n;
  int64_t k;
  MatrixView a;
  MatrixView b;
  void* c;
  int64_t c_stride;
  const void* bias;
  const void* row_bias;
  void* workspace;  ///< `GemmTable::workspace_bytes` of the sizes
};

using Gemm = void (*)(const GemmTask& task);

struct GemmTable {
  Gemm run[kDTypeCount];  ///< by dtype of the operands
  size_t (*workspace_bytes)(int64_t m, int64_t n, int64_t k);
};

namespace baseline {
extern const GemmTable gemm_table;
}
namespace avx2 {
extern const GemmTable gemm_table;
}
namespace avx512 {
extern const GemmTable gemm_table;
}

}  // namespace dyad::kernels
