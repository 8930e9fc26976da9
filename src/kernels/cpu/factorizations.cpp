#include "kernels/cpu/factorizations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/cpu/lu.h"

namespace dyad::kernels {

namespace {

constexpr int kMostSweeps = 60;

/// Rotation that makes the off-diagonal element of [[a, c], [c, b]] zero.
struct Rotation {
  double cosine;
  double sine;
  Rotation(double a, double b, double c) {
    const double tau = (b - a) / (2 * c);
    const double t = (tau >= 0 ? 1.0 : -1.0) / (std::abs(tau) + std::sqrt(1 + tau * tau));
    cosine = 1 / std::sqrt(1 + t * t);
    sine = cosine * t;
  }
};

void rotate_columns(Matrix& m, int64_t p, int64_t q, const Rotation& by) {
  for (int64_t i = 0; i < m.rows; ++i) {
    const double x = m(i, p);
    const double y = m(i, q);
    m(i, p) = by.cosine * x - by.sine * y;
    m(i, q) = by.sine * x + by.cosine * y;
  }
}

Matrix transposed_of(const Matrix& a) {
  Matrix t(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) t(j, i) = a(i, j);
  }
  return t;
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t k = 0; k < a.columns; ++k) {
      for (int64_t j = 0; j < b.columns; ++j) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

/// Whether the component of a column that is largest in size is negative.
bool points_down(const Matrix& m, int64_t column) {
  double largest = 0;
  for (int64_t i = 0; i < m.rows; ++i) {
    if (std::abs(m(i, column)) > std::abs(largest) * (1 + 1e-12)) largest = m(i, column);
  }
  return largest < 0;
}

void negate_column(Matrix& m, int64_t column) {
  for (int64_t i = 0; i < m.rows; ++i) m(i, column) = -m(i, column);
}

/// Fills columns that are zero with vectors orthogonal to all others.
void complete_basis(Matrix& u, const std::vector<bool>& empty) {
  for (int64_t column = 0; column < u.columns; ++column) {
    if (!empty[static_cast<size_t>(column)]) continue;
    for (int64_t trial = 0; trial < u.rows; ++trial) {
      for (int64_t i = 0; i < u.rows; ++i) u(i, column) = i == trial;
      for (int pass = 0; pass < 2; ++pass) {
        for (int64_t other = 0; other < u.columns; ++other) {
          if (other == column || (other > column && empty[static_cast<size_t>(other)])) continue;
          double along = 0;
          for (int64_t i = 0; i < u.rows; ++i) along += u(i, other) * u(i, column);
          for (int64_t i = 0; i < u.rows; ++i) u(i, column) -= along * u(i, other);
        }
      }
      double length = 0;
      for (int64_t i = 0; i < u.rows; ++i) length += u(i, column) * u(i, column);
      if (length < 1e-8) continue;
      for (int64_t i = 0; i < u.rows; ++i) u(i, column) /= std::sqrt(length);
      break;
    }
  }
}

/// The factors of a matrix with at least as many rows as columns.
void factor_tall(const Matrix& a, Matrix& u, std::vector<double>& s, Matrix& v) {
  const int64_t n = a.columns;
  u = a;
  v = Matrix::identity(n);
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool rotated = false;
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) {
        double pp = 0;
        double qq = 0;
        double pq = 0;
        for (int64_t i = 0; i < u.rows; ++i) {
          pp += u(i, p) * u(i, p);
          qq += u(i, q) * u(i, q);
          pq += u(i, p) * u(i, q);
        }
        if (std::abs(pq) <= 1e-15 * std::sqrt(pp * qq) || pq == 0) continue;
        rotated = true;
        const Rotation by(pp, qq, pq);
        rotate_columns(u, p, q, by);
        rotate_columns(v, p, q, by);
      }
    }
    if (!rotated) break;
  }
  std::vector<double> length(static_cast<size_t>(n));
  for (int64_t j = 0; j < n; ++j) {
    double sum = 0;
    for (int64_t i = 0; i < u.rows; ++i) sum += u(i, j) * u(i, j);
    length[static_cast<size_t>(j)] = std::sqrt(sum);
  }
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t x, int64_t y) {
    return length[static_cast<size_t>(x)] > length[static_cast<size_t>(y)];
  });
  const double largest = n ? length[static_cast<size_t>(order[0])] : 0;
  Matrix sorted_u(u.rows, n);
  Matrix sorted_v(n, n);
  std::vector<bool> empty(static_cast<size_t>(n), false);
  s.resize(static_cast<size_t>(n));
  for (int64_t j = 0; j < n; ++j) {
    const int64_t from = order[static_cast<size_t>(j)];
    const double value = length[static_cast<size_t>(from)];
    s[static_cast<size_t>(j)] = value;
    empty[static_cast<size_t>(j)] = value <= largest * std::numeric_limits<double>::epsilon() || value == 0;
    for (int64_t i = 0; i < u.rows; ++i)
      sorted_u(i, j) = empty[static_cast<size_t>(j)] ? 0 : u(i, from) / value;
    for (int64_t i = 0; i < n; ++i) sorted_v(i, j) = v(i, from);
  }
  complete_basis(sorted_u, empty);
  u = std::move(sorted_u);
  v = std::move(sorted_v);
}

}  // namespace

Matrix Matrix::identity(int64_t n) {
  Matrix m(n, n);
  for (int64_t i = 0; i < n; ++i) m(i, i) = 1;
  return m;
}

bool factor_cholesky(Matrix& a) {
  const int64_t n = a.rows;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = j; i < n; ++i) {
      double rest = a(i, j);
      for (int64_t k = 0; k < j; ++k) rest -= a(i, k) * a(j, k);
      if (i == j) {
        if (!(rest > 0)) return false;
        a(j, j) = std::sqrt(rest);
      } else {
        a(i, j) = rest / a(j, j);
      }
    }
    for (int64_t i = 0; i < j; ++i) a(i, j) = 0;
  }
  return true;
}

void factor_qr(const Matrix& a, bool full, Matrix& q, Matrix& r) {
  const int64_t m = a.rows;
  const int64_t n = a.columns;
  const int64_t least = std::min(m, n);
  Matrix work = a;
  Matrix reflections = Matrix::identity(m);
  std::vector<double> v(static_cast<size_t>(m));
  for (int64_t k = 0; k < std::min(least, m - 1); ++k) {  // a last row alone needs no reflection
    double length = 0;
    for (int64_t i = k; i < m; ++i) length += work(i, k) * work(i, k);
    length = std::sqrt(length);
    if (length == 0) continue;
    const double alpha = work(k, k) > 0 ? -length : length;
    double norm = 0;
    for (int64_t i = k; i < m; ++i) {
      v[static_cast<size_t>(i)] = work(i, k) - (i == k ? alpha : 0);
      norm += v[static_cast<size_t>(i)] * v[static_cast<size_t>(i)];
    }
    if (norm == 0) continue;
    const auto reflect = [&](Matrix& target, int64_t from) {
      for (int64_t j = from; j < target.columns; ++j) {
        double along = 0;
        for (int64_t i = k; i < m; ++i) along += v[static_cast<size_t>(i)] * target(i, j);
        for (int64_t i = k; i < m; ++i) target(i, j) -= 2 * along / norm * v[static_cast<size_t>(i)];
      }
    };
    reflect(work, k);
    reflect(reflections, 0);
  }
  const int64_t kept = full ? m : least;
  q = Matrix(m, kept);
  r = Matrix(kept, n);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < kept; ++j) q(i, j) = reflections(j, i);
  }
  for (int64_t i = 0; i < kept; ++i) {
    for (int64_t j = i; j < n; ++j) r(i, j) = work(i, j);
  }
}

void factor_svd(const Matrix& a, Matrix& u, std::vector<double>& s, Matrix& v) {
  if (a.rows < a.columns) {
    factor_tall(transposed_of(a), v, s, u);
  } else {
    factor_tall(a, u, s, v);
  }
  for (int64_t j = 0; j < u.columns; ++j) {
    if (!points_down(u, j)) continue;
    negate_column(u, j);
    negate_column(v, j);
  }
}

void extend_basis(Matrix& columns) {
  Matrix whole(columns.rows, columns.rows);
  std::vector<bool> empty(static_cast<size_t>(columns.rows), true);
  for (int64_t j = 0; j < columns.columns; ++j) {
    empty[static_cast<size_t>(j)] = false;
    for (int64_t i = 0; i < columns.rows; ++i) whole(i, j) = columns(i, j);
  }
  complete_basis(whole, empty);
  columns = std::move(whole);
}

Matrix exponential(Matrix a) {
  double norm = 0;
  for (int64_t i = 0; i < a.rows; ++i) {
    double row = 0;
    for (int64_t j = 0; j < a.columns; ++j) row += std::abs(a(i, j));
    norm = std::max(norm, row);
  }
  // Below a norm of 1/2 the terms after the 18th are smaller than the last digit.
  constexpr int kTerms = 18;
  const int halvings =
      norm > 0.5 && std::isfinite(norm) ? static_cast<int>(std::ceil(std::log2(norm))) + 1 : 0;
  for (double& element : a.elements) element = std::ldexp(element, -halvings);
  Matrix sum = Matrix::identity(a.rows);
  Matrix term = sum;
  for (int k = 1; k <= kTerms; ++k) {
    term = product(term, a);
    for (double& element : term.elements) element /= k;
    for (size_t i = 0; i < sum.elements.size(); ++i) sum.elements[i] += term.elements[i];
  }
  for (int i = 0; i < halvings; ++i) sum = product(sum, sum);
  return sum;
}

Matrix cofactors(const Matrix& a) {
  // a = u diag(s) v^T has the cofactors det(u) det(v) u diag(products of the other s) v^T, singular or not.
  Matrix u;
  Matrix v;
  std::vector<double> s;
  factor_svd(a, u, s, v);
  const double sign = determinant(u) * determinant(v);
  Matrix scaled(a.rows, a.rows);
  for (int64_t k = 0; k < a.rows; ++k) {
    double others = sign;
    for (int64_t j = 0; j < a.rows; ++j) {
      if (j != k) others *= s[static_cast<size_t>(j)];
    }
    for (int64_t r = 0; r < a.rows; ++r) scaled(r, k) = u(r, k) * others;
  }
  return product(scaled, transposed_of(v));
}

void factor_symmetric(Matrix a, std::vector<double>& values, Matrix& vectors) {
  const int64_t n = a.rows;
  Matrix v = Matrix::identity(n);
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double off = 0;
    double all = 0;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        all += a(i, j) * a(i, j);
        if (i != j) off += a(i, j) * a(i, j);
      }
    }
    if (off <= 1e-30 * all) break;
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) {
        if (a(p, q) == 0) continue;
        const Rotation by(a(p, p), a(q, q), a(p, q));
        rotate_columns(a, p, q, by);
        for (int64_t j = 0; j < n; ++j) {
          const double x = a(p, j);
          const double y = a(q, j);
          a(p, j) = by.cosine * x - by.sine * y;
          a(q, j) = by.sine * x + by.cosine * y;
        }
        rotate_columns(v, p, q, by);
      }
    }
  }
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t x, int64_t y) { return a(x, x) < a(y, y); });
  values.resize(static_cast<size_t>(n));
  vectors = Matrix(n, n);
  for (int64_t j = 0; j < n; ++j) {
    const int64_t from = order[static_cast<size_t>(j)];
    values[static_cast<size_t>(j)] = a(from, from);
    for (int64_t i = 0; i < n; ++i) vectors(i, j) = v(i, from);
    if (points_down(vectors, j)) negate_column(vectors, j);
  }
}

}  // namespace dyad::kernels
