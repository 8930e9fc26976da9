#include <cmath>
#include <numeric>

#include "base/error.h"
#include "kernels/cpu/matrices.h"

namespace dyad::kernels {

namespace {

/// Row exchanges and sign of a factorisation P A = L U that overwrites A.
struct Pivots {
  std::vector<int64_t> order;
  bool odd = false;
  bool singular = false;
};

template <class T>
Pivots factor(const Matrix<T>& a) {
  const int64_t n = a.rows;
  Pivots pivots;
  pivots.order.resize(static_cast<size_t>(n));
  std::iota(pivots.order.begin(), pivots.order.end(), int64_t{0});
  for (int64_t k = 0; k < n; ++k) {
    int64_t best = k;
    for (int64_t i = k + 1; i < n; ++i) {
      if (std::abs(a(i, k)) > std::abs(a(best, k))) best = i;
    }
    if (best != k) {
      std::swap_ranges(&a(k, 0), &a(k, 0) + n, &a(best, 0));
      std::swap(pivots.order[static_cast<size_t>(k)], pivots.order[static_cast<size_t>(best)]);
      pivots.odd = !pivots.odd;
    }
    if (a(k, k) == T(0)) {
      pivots.singular = true;
      continue;
    }
    for (int64_t i = k + 1; i < n; ++i) {
      const T factor = a(i, k) /= a(k, k);
      if (factor == T(0)) continue;
      for (int64_t j = k + 1; j < n; ++j) a(i, j) -= factor * a(k, j);
    }
  }
  return pivots;
}

/// Solves A X = B for all columns at once; B holds X afterwards.
template <class T>
void solve_factored(const Matrix<T>& lu, const Pivots& pivots, const Matrix<T>& b) {
  const int64_t n = lu.rows;
  std::vector<T> moved(static_cast<size_t>(n * b.columns));
  for (int64_t i = 0; i < n; ++i) {
    const T* from = &b(pivots.order[static_cast<size_t>(i)], 0);
    std::copy(from, from + b.columns, moved.begin() + i * b.columns);
  }
  std::copy(moved.begin(), moved.end(), b.data);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < i; ++k) {
      for (int64_t j = 0; j < b.columns; ++j) b(i, j) -= lu(i, k) * b(k, j);
    }
  }
  for (int64_t i = n; i-- > 0;) {
    for (int64_t k = i + 1; k < n; ++k) {
      for (int64_t j = 0; j < b.columns; ++j) b(i, j) -= lu(i, k) * b(k, j);
    }
    for (int64_t j = 0; j < b.columns; ++j) b(i, j) /= lu(i, i);
  }
}

void refuse_singular(const Arguments& args, int64_t index, bool stacked) {
  value_error(args.op(), ": ", stacked ? cat("matrix ", index, " of the stack") : std::string("the matrix"),
              " is singular; it has no inverse");
}

void run_inverse(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  with_decomposition_type(out.dtype, [&]<class T>(T) {
    const MatrixStack<T> a(call.in(0));
    const MatrixStack<T> result(out.dtype, out.shape);
    const int64_t n = a[0].rows;
    for_each_matrix(stack_size(out.shape), n, [&](int64_t index) {
      const Pivots pivots = factor(a[index]);
      if (pivots.singular) refuse_singular(call, index, out.rank() > 2);
      std::fill(&result[index](0, 0), &result[index](0, 0) + n * n, T(0));
      for (int64_t i = 0; i < n; ++i) result[index](i, i) = T(1);
      solve_factored(a[index], pivots, result[index]);
    });
    result.write(out);
  });
}

void run_solve(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  with_decomposition_type(out.dtype, [&]<class T>(T) {
    Shape full(out.shape.begin(), out.shape.end() - 2);
    full.push_back(call.in(0).shape.back());
    full.push_back(call.in(0).shape.back());
    Scratch broadcast_a(decomposition_dtype(out.dtype), full);
    copy(call.in(0), broadcast_a);
    Scratch broadcast_b(decomposition_dtype(out.dtype), out.shape);
    copy(call.in(1), broadcast_b);
    const MatrixStack<T> a(broadcast_a);
    const MatrixStack<T> b(broadcast_b);
    for_each_matrix(stack_size(out.shape), a[0].rows, [&](int64_t index) {
      const Pivots pivots = factor(a[index]);
      if (pivots.singular) refuse_singular(call, index, out.rank() > 2);
      solve_factored(a[index], pivots, b[index]);
    });
    b.write(out);
  });
}

/// Sign (or phase) of the determinant and logarithm of its size.
template <class T>
struct Determinant {
  T sign;
  double log_size;
};

template <class T>
Determinant<T> determinant(const Matrix<T>& a) {
  const Pivots pivots = factor(a);
  Determinant<T> result{pivots.odd ? T(-1) : T(1), 0.0};
  for (int64_t i = 0; i < a.rows; ++i) {
    const double size = std::abs(a(i, i));
    if (size == 0) return {T(0), -std::numeric_limits<double>::infinity()};
    result.sign *= a(i, i) / size;
    result.log_size += std::log(size);
  }
  return result;
}

void run_det(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  with_decomposition_type(out.dtype, [&]<class T>(T) {
    const MatrixStack<T> a(call.in(0));
    Scratch result(decomposition_dtype(out.dtype), out.shape);
    for_each_matrix(out.size(), call.in(0).shape.back().value(), [&](int64_t index) {
      const Matrix<T> m = a[index];
      const Pivots pivots = factor(m);
      T product = pivots.odd ? T(-1) : T(1);
      for (int64_t i = 0; i < m.rows; ++i) product *= m(i, i);
      result.as<T>()[index] = product;
    });
    copy(result, out);
  });
}

void run_slogdet(const KernelCall& call) {
  ValueImpl& sign = call.out(0);
  if (sign.size() == 0) return;
  with_decomposition_type(sign.dtype, [&]<class T>(T) {
    const MatrixStack<T> a(call.in(0));
    Scratch signs(decomposition_dtype(sign.dtype), sign.shape);
    Scratch sizes(DType::kFloat64, sign.shape);
    for_each_matrix(sign.size(), call.in(0).shape.back().value(), [&](int64_t index) {
      const Determinant<T> found = determinant(a[index]);
      signs.as<T>()[index] = found.sign;
      sizes.as<double>()[index] = found.log_size;
    });
    copy(signs, sign);
    copy(sizes, call.out(1));
  });
}

DYAD_CPU_KERNEL(inverse, run_inverse);
DYAD_CPU_KERNEL(solve, run_solve);
DYAD_CPU_KERNEL(det, run_det);
DYAD_CPU_KERNEL(slogdet, run_slogdet);

}  // namespace

}  // namespace dyad::kernels
