#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/cpu/matrices.h"

namespace dyad::kernels {

namespace {

constexpr double kPrecision = std::numeric_limits<double>::epsilon();
// Jacobi's method converges quadratically; matrices that need more sweeps than this contain NaN.
constexpr int kMostSweeps = 60;

/// The rotation that makes the off-diagonal entry `off` between diagonal entries `a` and `b` vanish.
struct Rotation {
  double cosine;
  double sine;
  Rotation(double a, double b, double off) {
    const double theta = (b - a) / (2 * off);
    const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::hypot(1.0, theta));
    cosine = 1 / std::hypot(1.0, t);
    sine = t * cosine;
  }
  void turn(double& x, double& y) const {
    const double old = x;
    x = cosine * old - sine * y;
    y = sine * old + cosine * y;
  }
};

/// Eigenvalues of a symmetric matrix on its diagonal, eigenvectors in the columns of `v`.
void diagonalise(const Matrix<double>& a, const Matrix<double>& v) {
  const int64_t n = a.rows;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      v(i, j) = i == j ? 1 : 0;
      if (j > i) a(i, j) = a(j, i);  // the lower triangle counts
    }
  }
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool moved = false;
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) {
        const double off = a(p, q);
        if (!(std::abs(off) > kPrecision * 0.1 * std::sqrt(std::abs(a(p, p) * a(q, q))) &&
              std::abs(off) > std::numeric_limits<double>::min())) {
          continue;
        }
        moved = true;
        const Rotation rotation(a(p, p), a(q, q), off);
        for (int64_t k = 0; k < n; ++k) rotation.turn(a(k, p), a(k, q));
        for (int64_t k = 0; k < n; ++k) rotation.turn(a(p, k), a(q, k));
        for (int64_t k = 0; k < n; ++k) rotation.turn(v(k, p), v(k, q));
      }
    }
    if (!moved) return;
  }
}

void run_eigh(const KernelCall& call) {
  ValueImpl& values_out = call.out(0);
  ValueImpl& vectors_out = call.out(1);
  if (vectors_out.size() == 0) return;
  const MatrixStack<double> a(call.in(0));
  const MatrixStack<double> vectors(vectors_out.dtype, vectors_out.shape);
  Scratch values(DType::kFloat64, values_out.shape);
  const int64_t n = a[0].rows;
  for_each_matrix(stack_size(vectors_out.shape), n, [&](int64_t index) {
    const Matrix<double> m = a[index];
    Scratch turned(DType::kFloat64, Shape{n, n});
    const Matrix<double> v{turned.as<double>(), n, n};
    diagonalise(m, v);
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), int64_t{0});
    std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return m(i, i) < m(j, j); });
    for (int64_t j = 0; j < n; ++j) {
      const int64_t from = order[static_cast<size_t>(j)];
      values.as<double>()[index * n + j] = m(from, from);
      for (int64_t i = 0; i < n; ++i) vectors[index](i, j) = v(i, from);
    }
  });
  copy(values, values_out);
  vectors.write(vectors_out);
}

/// One-sided Jacobi: turns the columns of `a` until they are orthogonal, and `v` with them: a = U S, A = U S V^T. `a`
/// and `v` are stored with columns as rows.
void orthogonalise(const Matrix<double>& a, const Matrix<double>& v) {
  const int64_t columns = a.rows;
  for (int64_t i = 0; i < columns; ++i) {
    for (int64_t j = 0; j < columns; ++j) v(i, j) = i == j ? 1 : 0;
  }
  auto dot = [&](int64_t p, int64_t q) {
    double sum = 0;
    for (int64_t k = 0; k < a.columns; ++k) sum += a(p, k) * a(q, k);
    return sum;
  };
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool moved = false;
    for (int64_t p = 0; p < columns; ++p) {
      for (int64_t q = p + 1; q < columns; ++q) {
        const double pp = dot(p, p);
        const double qq = dot(q, q);
        const double pq = dot(p, q);
        if (!(std::abs(pq) > kPrecision * std::sqrt(pp * qq) && std::abs(pq) > std::numeric_limits<double>::min())) continue;
        moved = true;
        const Rotation rotation(pp, qq, pq);
        for (int64_t k = 0; k < a.columns; ++k) rotation.turn(a(p, k), a(q, k));
        for (int64_t k = 0; k < columns; ++k) rotation.turn(v(p, k), v(q, k));
      }
    }
    if (!moved) return;
  }
}

/// Fills rows [known, rows) of `u` with unit vectors orthogonal to each other and to the rows before.
void complete_basis(const Matrix<double>& u, const std::vector<bool>& known) {
  int64_t next_axis = 0;
  for (int64_t row = 0; row < u.rows; ++row) {
    if (known[static_cast<size_t>(row)]) continue;
    for (; next_axis < u.columns; ++next_axis) {
      for (int64_t k = 0; k < u.columns; ++k) u(row, k) = k == next_axis ? 1 : 0;
      for (int pass = 0; pass < 2; ++pass) {  // twice is enough for full precision
        for (int64_t other = 0; other < u.rows; ++other) {
          if (other == row || (other > row && !known[static_cast<size_t>(other)])) continue;
          double dot = 0;
          for (int64_t k = 0; k < u.columns; ++k) dot += u(other, k) * u(row, k);
          for (int64_t k = 0; k < u.columns; ++k) u(row, k) -= dot * u(other, k);
        }
      }
      double norm = 0;
      for (int64_t k = 0; k < u.columns; ++k) norm += u(row, k) * u(row, k);
      norm = std::sqrt(norm);
      if (norm < 1e-8) continue;
      for (int64_t k = 0; k < u.columns; ++k) u(row, k) /= norm;
      ++next_axis;
      break;
    }
  }
}

/// The decomposition of one matrix with at least as many rows as columns: rows of `left` (as many as it has) and of
/// `right` are the singular vectors.
void decompose(const Matrix<double>& turned, const Matrix<double>& left, double* values, const Matrix<double>& right) {
  const int64_t count = turned.rows;
  Scratch memory(DType::kFloat64, Shape{count, count});
  const Matrix<double> v{memory.as<double>(), count, count};
  orthogonalise(turned, v);
  std::vector<double> norms(static_cast<size_t>(count));
  for (int64_t p = 0; p < count; ++p) {
    double sum = 0;
    for (int64_t k = 0; k < turned.columns; ++k) sum += turned(p, k) * turned(p, k);
    norms[static_cast<size_t>(p)] = std::sqrt(sum);
  }
  std::vector<size_t> order(norms.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t i, size_t j) { return norms[i] > norms[j]; });
  std::vector<bool> known(static_cast<size_t>(left.rows), false);
  const double smallest = norms.empty() ? 0 : norms[order[0]] * kPrecision * 1e-3;
  for (int64_t p = 0; p < count; ++p) {
    const int64_t from = static_cast<int64_t>(order[static_cast<size_t>(p)]);
    const double norm = norms[order[static_cast<size_t>(p)]];
    values[p] = norm;
    std::copy(&v(from, 0), &v(from, 0) + count, &right(p, 0));
    if (norm > smallest) {
      known[static_cast<size_t>(p)] = true;
      for (int64_t k = 0; k < turned.columns; ++k) left(p, k) = turned(from, k) / norm;
    }
  }
  complete_basis(left, known);
}

void run_svd(const KernelCall& call) {
  const ValueImpl& in = call.in(0);
  ValueImpl& s_out = call.out(0);
  ValueImpl& u_out = call.out(1);
  ValueImpl& v_out = call.out(2);
  const MatrixStack<double> a(in);
  const MatrixStack<double> u(u_out.dtype, u_out.shape);
  const MatrixStack<double> v(v_out.dtype, v_out.shape);
  Scratch s(DType::kFloat64, s_out.shape);
  const int64_t rows = sizes(in.shape)[in.rank() - 2];
  const int64_t columns = sizes(in.shape)[in.rank() - 1];
  const int64_t few = std::min(rows, columns);
  const int64_t many = std::max(rows, columns);
  const bool tall = rows >= columns;
  const MatrixStack<double>& long_side = tall ? u : v;
  const MatrixStack<double>& short_side = tall ? v : u;
  for_each_matrix(stack_size(in.shape), many, [&](int64_t index) {
    Scratch turned(DType::kFloat64, Shape{few, many});
    const Matrix<double> t{turned.as<double>(), few, many};
    for (int64_t p = 0; p < few; ++p) {
      for (int64_t k = 0; k < many; ++k) t(p, k) = tall ? a[index](k, p) : a[index](p, k);
    }
    const int64_t wanted = long_side[index].columns;
    Scratch left_memory(DType::kFloat64, Shape{wanted, many});
    Scratch right_memory(DType::kFloat64, Shape{few, few});
    const Matrix<double> left{left_memory.as<double>(), wanted, many};
    const Matrix<double> right{right_memory.as<double>(), few, few};
    decompose(t, left, s.as<double>() + index * few, right);
    for (int64_t i = 0; i < many; ++i) {
      for (int64_t j = 0; j < wanted; ++j) long_side[index](i, j) = left(j, i);
    }
    for (int64_t i = 0; i < few; ++i) {
      for (int64_t j = 0; j < few; ++j) short_side[index](i, j) = right(j, i);
    }
  });
  copy(s, s_out);
  u.write(u_out);
  v.write(v_out);
}

DYAD_CPU_KERNEL(eigh, run_eigh);
DYAD_CPU_KERNEL(singular_values, run_svd);

}  // namespace

}  // namespace dyad::kernels
