#include "kernels/cpu/complex_factorizations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/cpu/lu.h"

namespace dyad::kernels {

namespace {

using Element = ComplexMatrix::Element;

constexpr int kMostSweeps = 60;

ComplexMatrix adjoint(const ComplexMatrix& a) {
  ComplexMatrix t(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) t(j, i) = std::conj(a(i, j));
  }
  return t;
}

/// The inner product of two columns, linear in the second.
Element inner(const ComplexMatrix& m, int64_t p, int64_t q) {
  Element sum = 0;
  for (int64_t i = 0; i < m.rows; ++i) sum += std::conj(m(i, p)) * m(i, q);
  return sum;
}

void scale_column(ComplexMatrix& m, int64_t column, Element by) {
  for (int64_t i = 0; i < m.rows; ++i) m(i, column) *= by;
}

/// Turns columns p and q, the second times `phase`, so that an inner product of the two that is real
/// vanishes.
void rotate(ComplexMatrix& m, int64_t p, int64_t q, Element phase, double cosine, double sine) {
  for (int64_t i = 0; i < m.rows; ++i) {
    const Element x = m(i, p);
    const Element y = m(i, q) * phase;
    m(i, p) = cosine * x - sine * y;
    m(i, q) = sine * x + cosine * y;
  }
}

/// Makes the columns of u orthogonal by rotations that v collects.
void orthogonalize(ComplexMatrix& u, ComplexMatrix& v) {
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool rotated = false;
    for (int64_t p = 0; p < u.columns; ++p) {
      for (int64_t q = p + 1; q < u.columns; ++q) {
        const double pp = inner(u, p, p).real();
        const double qq = inner(u, q, q).real();
        const Element pq = inner(u, p, q);
        const double size = std::abs(pq);
        if (size <= 1e-15 * std::sqrt(pp * qq) || size == 0) continue;
        rotated = true;
        const double tau = (qq - pp) / (2 * size);
        const double t = (tau >= 0 ? 1.0 : -1.0) / (std::abs(tau) + std::sqrt(1 + tau * tau));
        const double cosine = 1 / std::sqrt(1 + t * t);
        const Element phase = std::conj(pq) / size;
        rotate(u, p, q, phase, cosine, cosine * t);
        rotate(v, p, q, phase, cosine, cosine * t);
      }
    }
    if (!rotated) break;
  }
}

/// Fills the columns from `from` on with vectors orthogonal to all before them.
void complete_basis(ComplexMatrix& u, int64_t from) {
  for (int64_t column = from; column < u.columns; ++column) {
    for (int64_t trial = 0; trial < u.rows; ++trial) {
      for (int64_t i = 0; i < u.rows; ++i) u(i, column) = i == trial ? 1 : 0;
      for (int pass = 0; pass < 2; ++pass) {
        for (int64_t other = 0; other < column; ++other) {
          const Element along = inner(u, other, column);
          for (int64_t i = 0; i < u.rows; ++i) u(i, column) -= along * u(i, other);
        }
      }
      const double length = std::sqrt(inner(u, column, column).real());
      if (length < 1e-4) continue;
      scale_column(u, column, 1 / length);
      break;
    }
  }
}

/// The factors of a matrix with at least as many rows as columns.
void factor_tall(const ComplexMatrix& a, ComplexMatrix& u, std::vector<double>& s, ComplexMatrix& v) {
  const int64_t n = a.columns;
  ComplexMatrix columns = a;
  ComplexMatrix turns = ComplexMatrix::identity(n);
  orthogonalize(columns, turns);
  std::vector<double> length(static_cast<size_t>(n));
  for (int64_t j = 0; j < n; ++j) length[static_cast<size_t>(j)] = std::sqrt(inner(columns, j, j).real());
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t x, int64_t y) {
    return length[static_cast<size_t>(x)] > length[static_cast<size_t>(y)];
  });
  u = ComplexMatrix(a.rows, n);
  v = ComplexMatrix(n, n);
  s.resize(static_cast<size_t>(n));
  int64_t filled = 0;  // the columns of values that are not zero come first
  for (int64_t j = 0; j < n; ++j) {
    const int64_t from = order[static_cast<size_t>(j)];
    const double value = s[static_cast<size_t>(j)] = length[static_cast<size_t>(from)];
    for (int64_t i = 0; i < n; ++i) v(i, j) = turns(i, from);
    if (value == 0 || value <= s[0] * std::numeric_limits<double>::epsilon()) continue;
    for (int64_t i = 0; i < a.rows; ++i) u(i, j) = columns(i, from) / value;
    filled = j + 1;
  }
  complete_basis(u, filled);
}

/// What turns the component of a column that is largest in size into a positive number.
Element upward(const ComplexMatrix& m, int64_t column) {
  Element largest = 0;
  for (int64_t i = 0; i < m.rows; ++i) {
    if (std::abs(m(i, column)) > std::abs(largest) * (1 + 1e-12)) largest = m(i, column);
  }
  return largest == Element(0) ? Element(1) : std::conj(largest) / std::abs(largest);
}

void make_square(ComplexMatrix& m) {
  ComplexMatrix whole(m.rows, m.rows);
  for (int64_t i = 0; i < m.rows; ++i) {
    for (int64_t j = 0; j < m.columns; ++j) whole(i, j) = m(i, j);
  }
  complete_basis(whole, m.columns);
  m = std::move(whole);
}

/// Reflects column k below row k onto its first element, which becomes real.
void reflect_column(ComplexMatrix& work, ComplexMatrix& reflections, int64_t k) {
  const int64_t m = work.rows;
  double length = 0;
  for (int64_t i = k; i < m; ++i) length += std::norm(work(i, k));
  length = std::sqrt(length);
  const Element first = work(k, k);
  if (length == 0 || (k == m - 1 && first.imag() == 0)) return;
  const Element direction = first == Element(0) ? Element(1) : first / std::abs(first);
  std::vector<Element> v(static_cast<size_t>(m));
  double norm = 0;
  for (int64_t i = k; i < m; ++i) {
    v[static_cast<size_t>(i)] = work(i, k) + (i == k ? direction * length : Element(0));
    norm += std::norm(v[static_cast<size_t>(i)]);
  }
  const Element real = (first.real() >= 0 ? 1.0 : -1.0) * std::conj(direction);
  const auto reflect = [&](ComplexMatrix& target, int64_t from) {
    for (int64_t j = from; j < target.columns; ++j) {
      Element along = 0;
      for (int64_t i = k; i < m; ++i) along += std::conj(v[static_cast<size_t>(i)]) * target(i, j);
      for (int64_t i = k; i < m; ++i) target(i, j) -= 2.0 * along / norm * v[static_cast<size_t>(i)];
      target(k, j) *= real;
    }
  };
  reflect(work, k);
  reflect(reflections, 0);
}

}  // namespace

ComplexMatrix ComplexMatrix::identity(int64_t n) {
  ComplexMatrix m(n, n);
  for (int64_t i = 0; i < n; ++i) m(i, i) = 1;
  return m;
}

void factor_complex_qr(const ComplexMatrix& a, bool full, ComplexMatrix& q, ComplexMatrix& r) {
  const int64_t least = std::min(a.rows, a.columns);
  ComplexMatrix work = a;
  ComplexMatrix reflections = ComplexMatrix::identity(a.rows);
  for (int64_t k = 0; k < least; ++k) reflect_column(work, reflections, k);
  const int64_t kept = full ? a.rows : least;
  q = ComplexMatrix(a.rows, kept);
  r = ComplexMatrix(kept, a.columns);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < kept; ++j) q(i, j) = std::conj(reflections(j, i));
  }
  for (int64_t i = 0; i < kept; ++i) {
    for (int64_t j = i; j < a.columns; ++j) r(i, j) = work(i, j);
    if (i < a.columns) r(i, i) = r(i, i).real();
  }
}

void factor_complex_svd(const ComplexMatrix& a, bool full, ComplexMatrix& u, std::vector<double>& s,
                        ComplexMatrix& v) {
  if (a.rows < a.columns) {
    factor_tall(adjoint(a), v, s, u);
  } else {
    factor_tall(a, u, s, v);
  }
  for (int64_t j = 0; j < u.columns; ++j) {
    const Element turn = upward(u, j);
    scale_column(u, j, turn);
    scale_column(v, j, turn);
  }
  if (!full) return;
  make_square(u);
  make_square(v);
}

ComplexMatrix complex_cofactors(const ComplexMatrix& a) {
  // a = u diag(s) v^H has the cofactors det(u) conj(det(v)) conj(u) diag(products of the other s) v^T.
  ComplexMatrix u;
  ComplexMatrix v;
  std::vector<double> s;
  factor_complex_svd(a, true, u, s, v);
  const Element turn = determinant(u) * std::conj(determinant(v));
  ComplexMatrix result(a.rows, a.rows);
  for (int64_t k = 0; k < a.rows; ++k) {
    Element others = turn;
    for (int64_t j = 0; j < a.rows; ++j) {
      if (j != k) others *= s[static_cast<size_t>(j)];
    }
    for (int64_t r = 0; r < a.rows; ++r) {
      for (int64_t c = 0; c < a.rows; ++c) result(r, c) += others * std::conj(u(r, k)) * v(c, k);
    }
  }
  return result;
}

}  // namespace dyad::kernels
