#pragma once

#include "types/shape.h"
#include "types/value.h"

namespace dyad::cuda {

/// A matrix in the memory of a device; strides are in elements.
struct MatrixView {
  const void* data;
  int64_t row_stride;
  int64_t column_stride;
};

/// A stack of matrix products c[i] = factor * a[i] @ b[i] (+ bias), all of one dtype. The elements of a row
/// of c follow one another; `bias` has one element per column and the same dtype, or is null.
struct MatrixProducts {
  Device device;
  DType dtype;
  int64_t m;
  int64_t n;
  int64_t k;
  MatrixView a;
  MatrixView b;
  void* c;
  int64_t c_stride;      ///< from row to row
  Ints batch = {};       ///< the stack's shape; empty for one product
  Strides a_batch = {};  ///< strides of a, b and c along it
  Strides b_batch = {};
  Strides c_batch = {};
  const void* bias = nullptr;
  bool accumulate = false;  ///< to what c holds; without a bias
  double factor = 1;        ///< of the products, of floats only
  bool measured = false;  ///< whether the library's algorithms are timed at the first use, whatever the sizes
};

/// On the current stream of the device: by cuBLASLt for floats and complex numbers, where it is installed,
/// otherwise by a kernel of our own.
void multiply_matrices(MatrixProducts products);

inline int64_t stride_of(const ValueImpl& value, int64_t from_end) {
  return value.strides[value.strides.size() - static_cast<size_t>(from_end)];
}
inline int64_t size_from_end(const ValueImpl& value, int64_t from_end) {
  return sizes(value.shape)[value.rank() - from_end];
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

}  // namespace dyad::cuda
