#pragma once

#include <algorithm>
#include <complex>
#include <vector>

#include "base/parallel.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/prepared.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

/// Decompositions compute in double precision, so that float32 and narrower inputs lose nothing on the way.
inline DType decomposition_dtype(DType dtype) { return is_complex(dtype) ? DType::kComplex128 : DType::kFloat64; }

/// Calls `body(T{})` with double or complex<double>.
template <class Body>
void with_decomposition_type(DType dtype, const Body& body) {
  if (is_complex(dtype)) {
    body(std::complex<double>{});
  } else {
    body(double{});
  }
}

inline double conjugate(double x) { return x; }
inline std::complex<double> conjugate(std::complex<double> x) { return std::conj(x); }

/// A dense matrix in row-major order.
template <class T>
struct Matrix {
  T* data;
  int64_t rows;
  int64_t columns;
  T& operator()(int64_t i, int64_t j) const { return data[i * columns + j]; }
};

/// A stack of matrices of an operand or result, in the dtype of the computation.
template <class T>
class MatrixStack {
 public:
  explicit MatrixStack(const ValueImpl& given) : copy_(decomposition_dtype(given.dtype), given.shape) {
    copy(given, copy_);
    measure();
  }
  /// Room for a result.
  MatrixStack(DType dtype, const Shape& shape) : copy_(decomposition_dtype(dtype), shape) { measure(); }

  Matrix<T> operator[](int64_t i) const { return {copy_.as<T>() + i * rows_ * columns_, rows_, columns_}; }
  T* data() const { return copy_.as<T>(); }
  void write(ValueImpl& out) const { copy(copy_, out); }

 private:
  void measure() {
    const size_t rank = copy_.shape.size();
    columns_ = rank > 0 ? copy_.shape[rank - 1].value() : 1;
    rows_ = rank > 1 ? copy_.shape[rank - 2].value() : 1;
  }
  Scratch copy_;
  int64_t rows_;
  int64_t columns_;
};

/// Number of matrices in a stack of that shape.
inline int64_t stack_size(const Shape& shape) { return numel(Shape(shape.begin(), shape.end() - 2)); }

/// Runs `body(i)` for each matrix, on several cores when there is enough to do.
template <class Body>
void for_each_matrix(int64_t count, int64_t size, const Body& body) {
  const int64_t work = std::max<int64_t>(1, size * size * size);
  parallel_for(count, 1 + (1 << 15) / work, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace dyad::kernels
