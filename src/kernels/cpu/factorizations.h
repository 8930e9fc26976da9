#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dyad::kernels {

/// A row-major matrix of doubles. Factorisations are carried out in double precision whatever the tensor's
/// dtype.
struct Matrix {
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<double> elements;

  Matrix() = default;
  Matrix(int64_t r, int64_t c) : rows(r), columns(c), elements(static_cast<size_t>(r * c), 0.0) {}
  static Matrix identity(int64_t n);
  double& operator()(int64_t r, int64_t c) { return elements[static_cast<size_t>(r * columns + c)]; }
  double operator()(int64_t r, int64_t c) const { return elements[static_cast<size_t>(r * columns + c)]; }
};

/// Lower Cholesky factor in place (the rest set to 0); false where the matrix is not positive definite.
bool factor_cholesky(Matrix& a);
/// QR by Householder reflections: a = q r, q (rows, k), r (k, columns), k = rows if `full` else min(rows,
/// columns).
void factor_qr(const Matrix& a, bool full, Matrix& q, Matrix& r);
/// The same as LAPACK keeps it: r in the upper triangle of `a`, below it the reflections' vectors without
/// their leading 1, and the factor of each reflection.
std::vector<double> factor_reflections(Matrix& a);
/// Singular values in descending order and the vectors: a = u diag(s) v^T, by one-sided Jacobi rotations. The
/// free sign of a pair of vectors is chosen so that the largest component of the left one is positive.
void factor_svd(const Matrix& a, Matrix& u, std::vector<double>& s, Matrix& v);
/// Adds orthonormal columns to orthonormal ones until there are as many as rows.
void extend_basis(Matrix& columns);
/// The transpose of the adjugate: for an invertible matrix its determinant times the transposed inverse.
Matrix cofactors(const Matrix& a);
/// e to the power of a square matrix, by scaling, a Taylor series and squaring.
Matrix exponential(Matrix a);
/// Eigenvalues of a symmetric matrix in ascending order and the vectors in columns, by Jacobi rotations. The
/// largest component of each vector is positive.
void factor_symmetric(Matrix a, std::vector<double>& values, Matrix& vectors);

}  // namespace dyad::kernels
