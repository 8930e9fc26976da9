#pragma once

// Tensors as the operands of matrix products.

#include "kernels/cpu/gemm.h"
#include "types/value.h"

namespace dyad::kernels {

inline int64_t stride_of(const ValueImpl& value, int64_t from_end) {
  return value.strides[value.strides.size() - static_cast<size_t>(from_end)];
}

/// The leading dimensions of `value` that make up its stack, broadcast to `batch`.
inline Strides batch_strides(const ValueImpl& value, const Shape& batch) {
  if (value.rank() <= 2) return Strides(batch.size(), 0);
  const Shape leading(value.shape.begin(), value.shape.end() - 2);
  const Strides strides(value.strides.begin(), value.strides.end() - 2);
  return broadcast_strides(leading, strides, batch);
}

/// A stack times one matrix is one tall matrix times it, when the rows of the stack follow one another
/// evenly.
inline void merge_batch_into_rows(MatrixProducts& p) {
  while (!p.batch.empty() && p.b_batch.back() == 0 &&
         (p.m == 1 || p.a_batch.back() == p.m * p.a.row_stride)) {
    if (p.m == 1) p.a.row_stride = p.a_batch.back();
    p.m *= p.batch.back();
    p.batch.pop_back();
    p.a_batch.pop_back();
    p.b_batch.pop_back();
  }
}

/// The last two dimensions, with the missing one of a vector filled in.
inline MatrixView left_view(const ValueImpl& a) {
  return a.rank() == 1 ? MatrixView{a.data, 0, a.strides[0]}
                       : MatrixView{a.data, stride_of(a, 2), stride_of(a, 1)};
}
inline MatrixView right_view(const ValueImpl& b) {
  return b.rank() == 1 ? MatrixView{b.data, b.strides[0], 0}
                       : MatrixView{b.data, stride_of(b, 2), stride_of(b, 1)};
}

inline int64_t size_from_end(const ValueImpl& value, int64_t from_end) {
  return sizes(value.shape)[value.rank() - from_end];
}

/// The product of a stack of matrices, or of a vector, and one matrix of k rows; b, c and n are still to be
/// set.
inline MatrixProducts product_with_matrix(const ValueImpl& a, DType dtype) {
  MatrixProducts p{};
  p.dtype = dtype;
  p.m = a.rank() == 1 ? 1 : size_from_end(a, 2);
  p.k = size_from_end(a, 1);
  p.a = left_view(a);
  if (a.rank() > 2) {
    const Shape batch(a.shape.begin(), a.shape.end() - 2);
    p.batch.assign(sizes(batch), sizes(batch) + batch.size());
    p.a_batch = batch_strides(a, batch);
    p.b_batch = Strides(batch.size(), 0);
    merge_batch_into_rows(p);
  }
  return p;
}

}  // namespace dyad::kernels
