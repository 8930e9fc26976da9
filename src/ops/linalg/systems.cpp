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

/// The rows of `x` moved down or up by one, with zeros where there are none.
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
        "Product of tridiagonal matrices and matrices. The last element of `superdiag` and the first of "
        "`subdiag` are not read.")
    .formula("out[i] = superdiag[i] · rhs[i + 1] + maindiag[i] · rhs[i] + subdiag[i] · rhs[i − 1]")
    .arg("superdiag", "of shape (*batch, 1, m).")
    .arg("maindiag", "of shape (*batch, 1, m).")
    .arg("subdiag", "of shape (*batch, 1, m).")
    .arg("rhs", "floats or complex numbers of shape (*batch, m, n).")
    .returns("Tensor with the shape of `rhs`.")
    .see("ops.matmul")
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
        "Solution of linear equations with tridiagonal matrices. The last element of the first diagonal and "
        "the first of the last are not read.")
    .formula(
        "diagonals[0, i] · out[i + 1] + diagonals[1, i] · out[i] + diagonals[2, i] · out[i − 1] = rhs[i]")
    .arg("diagonals",
         "floats or complex numbers of shape (*batch, 3, m): above, on and below the main diagonal.")
    .arg("rhs", "of shape (*batch, m, k).")
    .arg("partial_pivoting", "accepted for MindSpore; rows are always pivoted.")
    .returns("Tensor with the shape of `rhs`.")
    .see("ops.matrix_solve")
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
        "Least squares solution with L2 regularization. Of a matrix with more columns than rows, the "
        "solution of least norm.")
    .formula("out minimizes ‖matrix @ out − rhs‖² + l2_regularizer · ‖out‖²")
    .arg("matrix", "floats or complex numbers of shape (*batch, m, n).")
    .arg("rhs", "right-hand sides, of shape (*batch, m, k).")
    .arg("l2_regularizer", "factor of the squared norm.")
    .arg("fast", "accepted for MindSpore; has no effect.")
    .returns("Tensor of shape (*batch, n, k).")
    .see("ops.lstsq")
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
    .doc("Eigenvalue decomposition of symmetric or Hermitian matrices, with eigenvalues in ascending order.")
    .formula("x @ v[…, :, k] = w[…, k] · v[…, :, k]")
    .arg("x", "floats or complex numbers of shape (*batch, n, n).")
    .arg("compute_v", "whether the vectors are computed; if not, they are zeros.")
    .returns("Tuple of the eigenvalues w, of shape (*batch, n), and the eigenvectors v, in columns.")
    .see("ops.eig")
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
    .doc("Singular value decomposition of each matrix, with singular values in descending order.")
    .formula("input = U @ diag(S) @ Vᴴ")
    .arg("input", "floats of shape (*batch, m, n).")
    .arg("full_matrices", "whether U and V are square.")
    .arg("compute_uv", "whether the vectors are computed; if not, they are zeros.")
    .returns("Tuple of S, U and V.")
    .see("ops.svd")
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
