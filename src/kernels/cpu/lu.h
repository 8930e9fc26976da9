#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace dyad::kernels {

/// LU with partial pivoting of a Matrix or a ComplexMatrix, in place: row i of the result was row `order[i]`.
/// The sign of the permutation is returned, 0 where the matrix is singular.
template <class M>
int factor_lu(M& a, std::vector<int64_t>& order) {
  const int64_t n = a.rows;
  order.resize(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  int sign = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i) {
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    }
    if (a(pivot, k) == 0.0) return 0;
    if (pivot != k) {
      for (int64_t j = 0; j < n; ++j) std::swap(a(k, j), a(pivot, j));
      std::swap(order[static_cast<size_t>(k)], order[static_cast<size_t>(pivot)]);
      sign = -sign;
    }
    for (int64_t i = k + 1; i < n; ++i) {
      const auto factor = a(i, k) /= a(k, k);
      for (int64_t j = k + 1; j < n; ++j) a(i, j) -= factor * a(k, j);
    }
  }
  return sign;
}

/// Solves a triangular system for every column of `b`, in place; `transposed` uses the transpose of `a`.
template <class M>
void solve_triangular(const M& a, bool lower, bool transposed, bool unit, M& b) {
  const int64_t n = a.rows;
  const bool forward = lower != transposed;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = forward ? step : n - 1 - step;
    const int64_t first = forward ? 0 : i + 1;
    const int64_t last = forward ? i : n;
    for (int64_t k = first; k < last; ++k) {
      const auto factor = transposed ? a(k, i) : a(i, k);
      for (int64_t j = 0; j < b.columns; ++j) b(i, j) -= factor * b(k, j);
    }
    if (unit) continue;
    for (int64_t j = 0; j < b.columns; ++j) b(i, j) /= a(i, i);
  }
}

/// Solves with the factors for every column of `b`, in place.
template <class M>
void solve_lu(const M& lu, const std::vector<int64_t>& order, M& b) {
  M arranged(b.rows, b.columns);
  for (int64_t i = 0; i < b.rows; ++i) {
    for (int64_t j = 0; j < b.columns; ++j) arranged(i, j) = b(order[static_cast<size_t>(i)], j);
  }
  solve_triangular(lu, true, false, true, arranged);
  solve_triangular(lu, false, false, false, arranged);
  b = std::move(arranged);
}

template <class M>
auto determinant(M a) {
  std::vector<int64_t> order;
  typename decltype(M::elements)::value_type product_of_pivots = factor_lu(a, order);
  for (int64_t i = 0; product_of_pivots != 0.0 && i < a.rows; ++i) product_of_pivots *= a(i, i);
  return product_of_pivots;
}

}  // namespace dyad::kernels
