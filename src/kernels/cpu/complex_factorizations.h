#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dyad::kernels {

/// A row-major matrix of complex doubles.
struct ComplexMatrix {
  using Element = std::complex<double>;
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<Element> elements;

  ComplexMatrix() = default;
  ComplexMatrix(int64_t r, int64_t c) : rows(r), columns(c), elements(static_cast<size_t>(r * c)) {}
  static ComplexMatrix identity(int64_t n);
  Element& operator()(int64_t r, int64_t c) { return elements[static_cast<size_t>(r * columns + c)]; }
  Element operator()(int64_t r, int64_t c) const { return elements[static_cast<size_t>(r * columns + c)]; }
};

/// QR by Householder reflections: a = q r, q (rows, k), r (k, columns), k = rows if `full` else min(rows,
/// columns). The diagonal of r is real, and its signs are those that LAPACK gives.
void factor_complex_qr(const ComplexMatrix& a, bool full, ComplexMatrix& q, ComplexMatrix& r);
/// Singular values in descending order and the vectors: a = u diag(s) v^H, by one-sided Jacobi rotations. The
/// free phase of a pair of vectors is chosen so that the largest component of the left one is positive. With
/// `full`, u and v are square.
void factor_complex_svd(const ComplexMatrix& a, bool full, ComplexMatrix& u, std::vector<double>& s,
                        ComplexMatrix& v);
/// The transpose of the adjugate: for an invertible matrix its determinant times the transposed inverse.
ComplexMatrix complex_cofactors(const ComplexMatrix& a);

}  // namespace dyad::kernels
