// Solvers and factorisations over stacks of matrices.

#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/cpu/complex_factorizations.h"
#include "kernels/cpu/contiguous.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/factorizations.h"
#include "kernels/cpu/lu.h"
#include "kernels/cpu/schur.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

/// A stack of matrices in double precision: Matrix or ComplexMatrix.
template <class M>
class StackOf {
 public:
  using Element = typename decltype(M::elements)::value_type;
  explicit StackOf(const ValueImpl& value)
      : rows_(value.shape[value.shape.size() - 2].value()),
        columns_(value.shape.back().value()),
        count_(numel(Shape(value.shape.begin(), value.shape.end() - 2))),
        elements_(value, kElement) {}
  int64_t count() const { return count_; }
  M operator[](int64_t i) const {
    M matrix(rows_, columns_);
    const Element* from = elements_.template as<Element>() + i * rows_ * columns_;
    std::copy(from, from + rows_ * columns_, matrix.elements.begin());
    return matrix;
  }

 private:
  static constexpr DType kElement = std::is_same_v<Element, double> ? DType::kFloat64 : DType::kComplex128;
  int64_t rows_;
  int64_t columns_;
  int64_t count_;
  Contiguous elements_;
};
using Stack = StackOf<Matrix>;

/// Results of a stack, written matrix by matrix and converted.
template <class T>
void write(ValueImpl& out, int64_t index, const std::vector<T>& elements) {
  const auto count = static_cast<int64_t>(elements.size());
  converter(std::is_same_v<T, double> ? DType::kFloat64 : DType::kComplex128, out.dtype)(
      count, elements.data(), out.as<char>() + index * count * itemsize(out.dtype));
}

template <class Body>
void for_each_matrix(int64_t count, int64_t rows, const Body& body) {
  const int64_t work = std::max<int64_t>(1, rows * rows * rows);
  parallel_for(count, std::max<int64_t>(1, (1 << 15) / work), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

/// Both triangles count alike, as the gradients of factors of symmetric matrices have it.
void make_symmetric(Matrix& a) {
  for (int64_t r = 0; r < a.rows; ++r) {
    for (int64_t c = 0; c < r; ++c) a(r, c) = a(c, r) = (a(r, c) + a(c, r)) / 2;
  }
}

int64_t rows_of(const ValueImpl& value) { return value.shape[value.shape.size() - 2].value(); }

/// For each matrix of the first argument the x with matrix @ x = rhs(i).
template <class M, class Rhs>
void solve_each(const KernelCall& call, const Rhs& rhs) {
  const StackOf<M> a(call.in(0));
  for_each_matrix(a.count(), rows_of(call.in(0)), [&](int64_t i) {
    M lu = a[i];
    M x = rhs(i, lu.rows);
    std::vector<int64_t> order;
    if (factor_lu(lu, order) == 0 && lu.rows > 0) {
      runtime_error(call.op(), ": matrix ", i, " of the stack is singular; it must be invertible");
    }
    solve_lu(lu, order, x);
    write(call.out(), i, x.elements);
  });
}

template <class M>
void solve_for(const KernelCall& call) {
  const StackOf<M> b(call.in(1));
  solve_each<M>(call, [&](int64_t i, int64_t) { return b[i]; });
}

void run_solve(const KernelCall& call) {
  if (is_complex(call.out().dtype)) return solve_for<ComplexMatrix>(call);
  solve_for<Matrix>(call);
}

void run_inverse(const KernelCall& call) {
  if (is_complex(call.in(0).dtype)) {
    return solve_each<ComplexMatrix>(call,
                                     [](int64_t, int64_t rows) { return ComplexMatrix::identity(rows); });
  }
  solve_each<Matrix>(call, [](int64_t, int64_t rows) { return Matrix::identity(rows); });
}

void run_cofactors(const KernelCall& call) {
  if (is_complex(call.in(0).dtype)) {
    const StackOf<ComplexMatrix> a(call.in(0));
    return for_each_matrix(a.count(), rows_of(call.in(0)),
                           [&](int64_t i) { write(call.out(), i, complex_cofactors(a[i]).elements); });
  }
  const Stack a(call.in(0));
  for_each_matrix(a.count(), rows_of(call.in(0)),
                  [&](int64_t i) { write(call.out(), i, cofactors(a[i]).elements); });
}

void run_exponential(const KernelCall& call) {
  const Stack a(call.in(0));
  for_each_matrix(a.count(), rows_of(call.in(0)),
                  [&](int64_t i) { write(call.out(), i, exponential(a[i]).elements); });
}

template <class M>
void find_log_determinants(const KernelCall& call) {
  using Element = typename StackOf<M>::Element;
  const StackOf<M> a(call.in(0));
  for_each_matrix(a.count(), rows_of(call.in(0)), [&](int64_t i) {
    M lu = a[i];
    std::vector<int64_t> order;
    Element sign = factor_lu(lu, order);
    double logarithm = sign == 0.0 ? -std::numeric_limits<double>::infinity() : 0;
    for (int64_t k = 0; sign != 0.0 && k < lu.rows; ++k) {
      const double size = std::abs(lu(k, k));
      logarithm += std::log(size);
      sign *= lu(k, k) / size;
    }
    write<Element>(call.out(0), i, {sign});
    write<Element>(call.out(1), i, {Element(logarithm)});
  });
}

void run_log_determinant(const KernelCall& call) {
  if (is_complex(call.in(0).dtype)) return find_log_determinants<ComplexMatrix>(call);
  find_log_determinants<Matrix>(call);
}

void run_cholesky(const KernelCall& call) {
  const Stack a(call.in(0));
  const bool upper = call.flag(1);
  for_each_matrix(a.count(), rows_of(call.in(0)), [&](int64_t i) {
    Matrix factor = a[i];
    make_symmetric(factor);
    if (!factor_cholesky(factor)) {
      runtime_error(call.op(), ": matrix ", i, " of the stack is not positive definite");
    }
    if (upper) {
      for (int64_t r = 0; r < factor.rows; ++r) {
        for (int64_t c = 0; c < r; ++c) std::swap(factor(r, c), factor(c, r));
      }
    }
    write(call.out(), i, factor.elements);
  });
}

void run_triangular(const KernelCall& call) {
  const Stack a(call.in(0));
  const Stack b(call.in(1));
  for_each_matrix(a.count(), rows_of(call.in(0)), [&](int64_t i) {
    Matrix x = b[i];
    solve_triangular(a[i], call.flag(2), call.flag(3), false, x);
    write(call.out(), i, x.elements);
  });
}

template <class M, class Factor>
void factor_qr_each(const KernelCall& call, const Factor& factor) {
  const StackOf<M> a(call.in(0));
  for_each_matrix(a.count(), rows_of(call.in(0)), [&](int64_t i) {
    M q;
    M r;
    factor(a[i], call.flag(1), q, r);
    write(call.out(0), i, q.elements);
    write(call.out(1), i, r.elements);
  });
}

void run_qr(const KernelCall& call) {
  if (is_complex(call.in(0).dtype)) return factor_qr_each<ComplexMatrix>(call, factor_complex_qr);
  factor_qr_each<Matrix>(call, factor_qr);
}

void run_reflections(const KernelCall& call) {
  const Stack a(call.in(0));
  for_each_matrix(a.count(), rows_of(call.in(0)), [&](int64_t i) {
    Matrix work = a[i];
    const std::vector<double> factors = factor_reflections(work);
    write(call.out(0), i, work.elements);
    write(call.out(1), i, factors);
  });
}

template <class M, class Factor>
void factor_svd_each(const KernelCall& call, const Factor& factor) {
  const StackOf<M> a(call.in(0));
  for_each_matrix(a.count(), rows_of(call.in(0)), [&](int64_t i) {
    M u;
    M v;
    std::vector<double> s;
    factor(a[i], call.flag(1), u, s, v);
    write(call.out(0), i, s);
    write(call.out(1), i, u.elements);
    write(call.out(2), i, v.elements);
  });
}

void run_svd(const KernelCall& call) {
  if (is_complex(call.in(0).dtype)) return factor_svd_each<ComplexMatrix>(call, factor_complex_svd);
  const auto factor = [](const Matrix& a, bool full, Matrix& u, std::vector<double>& s, Matrix& v) {
    factor_svd(a, u, s, v);
    if (!full) return;
    extend_basis(u);
    extend_basis(v);
  };
  factor_svd_each<Matrix>(call, factor);
}

void run_singular_values(const KernelCall& call) {
  const Stack a(call.in(0));
  for_each_matrix(a.count(), rows_of(call.in(0)), [&](int64_t i) {
    Matrix u;
    Matrix v;
    std::vector<double> s;
    factor_svd(a[i], u, s, v);
    write(call.out(), i, s);
  });
}

void run_eigh(const KernelCall& call) {
  const Stack a(call.in(0));
  for_each_matrix(a.count(), rows_of(call.in(0)), [&](int64_t i) {
    std::vector<double> values;
    Matrix vectors;
    Matrix symmetric = a[i];
    make_symmetric(symmetric);
    factor_symmetric(std::move(symmetric), values, vectors);
    write(call.out(0), i, values);
    write(call.out(1), i, vectors.elements);
  });
}

/// Hands the Schur form of each matrix of the first argument to `use(i, q, t)`.
template <class Use>
void for_each_schur_form(const KernelCall& call, const Use& use) {
  const StackOf<ComplexMatrix> a(call.in(0));
  for_each_matrix(a.count(), rows_of(call.in(0)), [&](int64_t i) {
    ComplexMatrix q;
    ComplexMatrix t;
    if (!factor_schur(a[i], q, t)) {
      runtime_error(call.op(), ": the eigenvalues of matrix ", i,
                    " of the stack were not found; its elements must be finite");
    }
    use(i, q, t);
  });
}

void run_eigen(const KernelCall& call) {
  for_each_schur_form(call, [&](int64_t i, const ComplexMatrix& q, const ComplexMatrix& t) {
    ComplexMatrix vectors;
    ComplexMatrix inverse;
    schur_vectors(q, t, vectors, inverse);
    std::vector<ComplexMatrix::Element> values;
    double size = 0;
    for (int64_t k = 0; k < t.rows; ++k) size = std::max(size, std::abs(t(k, k)));
    // What rounding leaves beside a real eigenvalue of a real matrix is no part of it.
    const double noise = is_complex(call.in(0).dtype)
                             ? 0
                             : static_cast<double>(t.rows) * size * std::numeric_limits<double>::epsilon();
    for (int64_t k = 0; k < t.rows; ++k) {
      const ComplexMatrix::Element value = t(k, k);
      values.push_back(std::abs(value.imag()) <= noise ? value.real() : value);
    }
    write(call.out(0), i, values);
    write(call.out(1), i, vectors.elements);
    write(call.out(2), i, inverse.elements);
  });
}

void run_logarithm(const KernelCall& call) {
  for_each_schur_form(call, [&](int64_t i, const ComplexMatrix& q, const ComplexMatrix& t) {
    for (int64_t k = 0; k < t.rows; ++k) {
      if (t(k, k) == ComplexMatrix::Element(0)) {
        runtime_error(call.op(), ": matrix ", i, " of the stack is singular and has no logarithm");
      }
    }
    write(call.out(), i, turned_back(q, triangular_logarithm(t)).elements);
  });
}

DYAD_CPU_KERNEL(matrix_solve, run_solve);
DYAD_CPU_KERNEL(inverse, run_inverse);
DYAD_CPU_KERNEL(cofactors, run_cofactors);
DYAD_CPU_KERNEL(matrix_exp, run_exponential);
DYAD_CPU_KERNEL(slogdet, run_log_determinant);
DYAD_CPU_KERNEL(cholesky, run_cholesky);
DYAD_CPU_KERNEL(triangular_solve, run_triangular);
DYAD_CPU_KERNEL(qr_factors, run_qr);
DYAD_CPU_KERNEL(geqrf, run_reflections);
DYAD_CPU_KERNEL(svd_factors, run_svd);
DYAD_CPU_KERNEL(singular_values, run_singular_values);
DYAD_CPU_KERNEL(eigh, run_eigh);
DYAD_CPU_KERNEL(eigen, run_eigen);
DYAD_CPU_KERNEL(matrix_logarithm, run_logarithm);

}  // namespace
}  // namespace dyad::kernels
