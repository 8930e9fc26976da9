#pragma once

#include "kernels/cpu/gemm_task.h"
#include "types/shape.h"

namespace dyad::kernels {

/// A stack of matrix products c[i] = a[i] @ b[i] (+ bias), all of one dtype. `c` is contiguous; `bias` has
/// one element per column and the same dtype, or is null.
struct MatrixProducts {
  DType dtype;
  int64_t m;
  int64_t n;
  int64_t k;
  MatrixView a;
  MatrixView b;
  Ints batch = {};       ///< the stack's shape; empty for one product
  Strides a_batch = {};  ///< strides of a and b along it
  Strides b_batch = {};
  void* c;
  const void* bias = nullptr;
  bool in_panels = false;              ///< b is one matrix in panels (gemm_task.h); float32 and float64
  const GemmFinish* finish = nullptr;  ///< for rows of the whole stack; not for float16 and bfloat16
};

void multiply_matrices(const MatrixProducts& products);
/// One product on the calling thread, which brings its own parallel work; the workspace is found here.
void multiply_here(DType dtype, GemmTask task);
/// The matrix of `rows` x `columns` in panels; float32 or float64.
void pack_panels(DType dtype, const MatrixView& matrix, int64_t rows, int64_t columns, void* out);

}  // namespace dyad::kernels
