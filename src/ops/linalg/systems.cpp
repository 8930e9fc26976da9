#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/linalg/matrices.h"

// Products and systems of matrices in special forms.

namespace dyad {

namespace {

DYAD_USE(cast, conjugate, diag_embed, eigh, eye, matmul, matrix_solve, mul, narrow, pad_constant, select_view,
         svd_factors, zeros_like);

bool differ(Dim a, Dim b) { return a.known() && b.known() && !(a == b); }

/// The matrices with these three diagonals, each as long as the matrices are: of the upper one the last
/// element, of the lower one the first is left out.
Value tridiagonal(const Value& upper, const Value& middle, const Value& lower) {
  const int64_t n = middle->shape.back().value();
  const Value result = diag_embed(middle);
  if (n == 1) return result;
  return result + diag_embed(narrow(upper, -1, 0, n - 1), 1) + diag_embed(narrow(lower, -1, 1, n - 1), -1);
}

/// The rows of `x` one further down or up, with zeros where there are none.
Value shifted(const Value& x, int64_t by) {
  const size_t rank = x->shape.size();
  Dims before(rank, 0);
  Dims after(rank, 0);
  before[rank - 2] = by;
  after[rank - 2] = -by;
  return pad_constant(x, before, after);
}

}  // namespace

DYAD_OP("tridiagonal_matmul(superdiag: Tensor, maindiag: Tensor, subdiag: Tensor, rhs: Tensor) -> Tensor")
    .doc(
        "Products of matrices that have three diagonals, each (…, 1, rows), and of rhs (…, rows, columns). "
        "The "
        "last element of superdiag and the first of subdiag are left out.")
    .hidden()
    .primitive("TridiagonalMatMul()(superdiag, maindiag, subdiag, rhs)")
    .compose([](const Call& call) {
      infer::require_factorable(call, 3, "rhs");
      for (size_t i = 0; i < 3; ++i) {
        const ValueImpl& diagonal = call.in(i);
        if (diagonal.rank() != call.in(3).rank() ||
            differ(infer::columns(diagonal), infer::rows(call.in(3)))) {
          value_error(call.op(), ": a diagonal has shape ", diagonal.shape, " and rhs ", call.in(3).shape,
                      "; need (…, 1, rows of rhs)");
        }
      }
      auto rows = [&](size_t i) { return transposed(call.value(i)); };
      const Value& x = call.value(3);
      return rows(0) * shifted(x, -1) + rows(1) * x + rows(2) * shifted(x, 1);
    })
    .numpy("ref.tridiagonal_matmul(superdiag, maindiag, subdiag, rhs)")
    .samples("call(T(1, 3), T(1, 3), T(1, 3), T(3, 2))",
             "call(T(2, 1, 4), T(2, 1, 4), T(2, 1, 4), T(2, 4, 3))")
    .rejects("ops.TridiagonalMatMul()(ones(1, 2), ones(1, 3), ones(1, 3), ones(3, 2))", "ValueError",
             "a diagonal has shape (1, 2)");

DYAD_OP("tridiagonal_solve(diagonals: Tensor, rhs: Tensor, partial_pivoting: bool=True) -> Tensor")
    .doc(
        "The x with a @ x = rhs for matrices a given by three diagonals (…, 3, rows): above the main one, "
        "the main "
        "one and below it. The last element of the first and the first of the last are left out.")
    .hidden()
    .primitive("TridiagonalSolve(partial_pivoting=True)(diagonals, rhs)")
    .compose([](const Call& call) {
      infer::require_factorable(call, 0, "diagonals");
      infer::require_factorable(call, 1, "rhs");
      const ValueImpl& d = call.in(0);
      if (differ(infer::rows(d), 3) || differ(infer::columns(d), infer::rows(call.in(1)))) {
        value_error(call.op(), ": diagonals have shape ", d.shape, " and rhs ", call.in(1).shape,
                    "; need (…, 3, rows of rhs)");
      }
      auto diagonal = [&](int64_t i) { return select_view(call.value(0), -2, i); };
      return matrix_solve(tridiagonal(diagonal(0), diagonal(1), diagonal(2)), call[1]);
    })
    .numpy("ref.tridiagonal_solve(diagonals, rhs)")
    .samples("call(T(3, 4, lo=1, hi=3), T(4, 2))", "call(T(2, 3, 3, lo=1, hi=3), T(2, 3, 1))")
    .rejects("ops.TridiagonalSolve()(ones(2, 3), ones(3, 1))", "ValueError", "diagonals have shape (2, 3)");

DYAD_OP("matrix_solve_ls(matrix: Tensor, rhs: Tensor, l2_regularizer: Operand, fast: bool=True) -> Tensor")
    .doc(
        "The x that makes matrix @ x nearest to rhs, plus l2_regularizer times the square of its own length; "
        "of "
        "a matrix with more columns than rows and no regulariser, the shortest one that fits.")
    .hidden()
    .primitive("MatrixSolveLs(fast=True)(matrix, rhs, l2_regularizer)")
    .compose_wide([](const Call& call) {
      infer::require_factorable(call, 0, "matrix");
      const Value& a = call.value(0);
      const Value& b = call.value(1);
      if (differ(infer::rows(*a), infer::rows(*b)))
        value_error(call.op(), ": matrix has shape ", a->shape, " and rhs ", b->shape, "; need as many rows");
      const Value adjoint = conjugate(transposed(a));
      const int64_t m = infer::rows(*a).value();
      const int64_t n = infer::columns(*a).value();
      const Value weight = call.is_value(2) ? cast(call.value(2), a->dtype) : Value();
      auto with_weight = [&](const Value& square, int64_t size) {
        const Value one = eye(call.builder(), size, nullptr, a->dtype);
        return square + (weight ? one * weight : mul(one, call[2]));
      };
      if (m >= n) return matrix_solve(with_weight(matmul(adjoint, a), n), matmul(adjoint, b));
      return matmul(adjoint, matrix_solve(with_weight(matmul(a, adjoint), m), b));
    })
    .numpy("ref.matrix_solve_ls(matrix, rhs, l2_regularizer)")
    .samples("call(T(4, 3), T(4, 2), 0.5)", "call(T(2, 3), T(2, 1), 0.1)")
    .rejects("ops.MatrixSolveLs()(ones(2, 3), ones(3, 1), 0.0)", "ValueError", "need as many rows");

DYAD_OP("self_adjoint_eig(x: Tensor, compute_v: bool=True) -> (Tensor, Tensor)")
    .doc(
        "Eigenvalues of symmetric matrices in ascending order, and their vectors as columns; without "
        "compute_v "
        "zeros for the vectors.")
    .hidden()
    .primitive("SelfAdjointEig(compute_v=True)(x)")
    .compose([](const Call& call) {
      ValueList found = eigh.all(call[0]);
      if (!call.flag(1)) found[1] = zeros_like(found[1]);
      return found;
    })
    .numpy("ref.self_adjoint_values(x, compute_v)")
    .samples("call(V([[2.0, 0.5], [0.5, -1.0]], 'float64'), False)")
    .rejects("ops.SelfAdjointEig()(ones(2, 3))", "ValueError", "its last two dimensions must be equal");

DYAD_OP(
    "svd_with_vectors(input: Tensor, full_matrices: bool=False, compute_uv: bool=True) -> (Tensor, Tensor, "
    "Tensor)")
    .doc(
        "Singular values in descending order and both kinds of vectors; without compute_uv zeros for the "
        "vectors.")
    .hidden()
    .primitive("Svd(full_matrices=False, compute_uv=True)(input)")
    .compose([](const Call& call) {
      ValueList found = svd_factors.all(call[0], call[1]);
      if (!call.flag(2)) found = {found[0], zeros_like(found[1]), zeros_like(found[2])};
      return found;
    })
    .numpy("ref.singular_values_alone(input)")
    .samples("call(T(3, 2), False, False)")
    .rejects("ops.Svd()(ones(3))", "ValueError", "it must have at least 2 dimensions");

}  // namespace dyad
