#include <cmath>

#include "base/error.h"
#include "kernels/cpu/matrices.h"

namespace dyad::kernels {

namespace {

/// A = L L^H in place of the lower triangle of A; the rest becomes zero. False unless A is positive definite.
template <class T>
bool factor_cholesky(const Matrix<T>& a) {
  const int64_t n = a.rows;
  for (int64_t j = 0; j < n; ++j) {
    double diagonal = std::real(a(j, j));
    for (int64_t k = 0; k < j; ++k) diagonal -= std::norm(a(j, k));
    if (!(diagonal > 0)) return false;
    const double root = std::sqrt(diagonal);
    a(j, j) = root;
    for (int64_t i = j + 1; i < n; ++i) {
      T sum = a(i, j);
      for (int64_t k = 0; k < j; ++k) sum -= a(i, k) * conjugate(a(j, k));
      a(i, j) = sum / root;
    }
    for (int64_t i = 0; i < j; ++i) a(i, j) = T(0);
  }
  return true;
}

void run_cholesky(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  with_decomposition_type(out.dtype, [&]<class T>(T) {
    const MatrixStack<T> a(call.in(0));
    for_each_matrix(stack_size(out.shape), a[0].rows, [&](int64_t index) {
      const Matrix<T> m = a[index];
      if (!factor_cholesky(m)) {
        value_error(call.op(), ": ", out.rank() > 2 ? cat("matrix ", index, " of the stack") : std::string("the matrix"),
                    " is not positive definite");
      }
      if (!call.flag(1)) return;
      for (int64_t i = 0; i < m.rows; ++i) {
        for (int64_t j = 0; j < i; ++j) {
          m(j, i) = conjugate(m(i, j));
          m(i, j) = T(0);
        }
      }
    });
    a.write(out);
  });
}

/// Householder reflections turn A into R and, applied to the identity in `q` (rows x as many columns as wanted), give Q.
template <class T>
void factor_qr(const Matrix<T>& a, const Matrix<T>& q) {
  const int64_t steps = std::min(a.rows, a.columns);
  std::vector<std::vector<T>> reflections;
  std::vector<double> factors;
  for (int64_t k = 0; k < steps; ++k) {
    std::vector<T> v(static_cast<size_t>(a.rows - k));
    double norm = 0;
    for (int64_t i = k; i < a.rows; ++i) {
      v[static_cast<size_t>(i - k)] = a(i, k);
      norm += std::norm(a(i, k));
    }
    norm = std::sqrt(norm);
    const double head = std::abs(v[0]);
    // Reflect away from the first entry, so that nothing cancels.
    const T phase = head == 0 ? T(1) : v[0] / head;
    v[0] += phase * norm;
    double length = 0;
    for (const T& x : v) length += std::norm(x);
    factors.push_back(length == 0 ? 0.0 : 2 / length);
    for (int64_t j = k; j < a.columns; ++j) {
      T dot(0);
      for (int64_t i = k; i < a.rows; ++i) dot += conjugate(v[static_cast<size_t>(i - k)]) * a(i, j);
      for (int64_t i = k; i < a.rows; ++i) a(i, j) -= factors.back() * dot * v[static_cast<size_t>(i - k)];
    }
    for (int64_t i = k + 1; i < a.rows; ++i) a(i, k) = T(0);
    reflections.push_back(std::move(v));
  }
  for (int64_t i = 0; i < q.rows; ++i) {
    for (int64_t j = 0; j < q.columns; ++j) q(i, j) = T(i == j ? 1 : 0);
  }
  for (int64_t k = steps; k-- > 0;) {
    const std::vector<T>& v = reflections[static_cast<size_t>(k)];
    for (int64_t j = 0; j < q.columns; ++j) {
      T dot(0);
      for (int64_t i = k; i < q.rows; ++i) dot += conjugate(v[static_cast<size_t>(i - k)]) * q(i, j);
      for (int64_t i = k; i < q.rows; ++i) q(i, j) -= factors[static_cast<size_t>(k)] * dot * v[static_cast<size_t>(i - k)];
    }
  }
}

void run_qr(const KernelCall& call) {
  ValueImpl& q_out = call.out(0);
  ValueImpl& r_out = call.out(1);
  with_decomposition_type(q_out.dtype, [&]<class T>(T) {
    const MatrixStack<T> a(call.in(0));
    const MatrixStack<T> q(q_out.dtype, q_out.shape);
    const MatrixStack<T> r(r_out.dtype, r_out.shape);
    for_each_matrix(stack_size(call.in(0).shape), std::max(a[0].rows, a[0].columns), [&](int64_t index) {
      const Matrix<T> m = a[index];
      factor_qr(m, q[index]);
      const Matrix<T> upper = r[index];
      std::copy(m.data, m.data + upper.rows * upper.columns, upper.data);
    });
    q.write(q_out);
    r.write(r_out);
  });
}

DYAD_CPU_KERNEL(cholesky, run_cholesky);
DYAD_CPU_KERNEL(qr, run_qr);

}  // namespace

}  // namespace dyad::kernels
