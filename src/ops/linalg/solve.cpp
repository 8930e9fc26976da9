#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/cost.h"
#include "ops/infer.h"
#include "ops/linalg/matrices.h"

namespace dyad {

namespace {

DYAD_USE(matmul, complex, conjugate, imaginary_part, real, matrix_solve, inverse, slogdet, exp, log,
         expand_dims, concat, slice_view, zeros_like, matrix_exp, cast, cofactors, det);

/// One number per matrix as a stack of matrices of one element.
Value per_matrix(const Value& numbers) { return expand_dims(expand_dims(numbers, -1), -1); }

void infer_square(const Arguments& args, Results& results) {
  infer::require_square_factorable(args, 0, "input");
  results.add(args.in(0).dtype, args.in(0).shape);
}

/// A gradient for an argument: the real parts of a complex one where the argument is real.
Value of_kind(const Value& gradient, const ValueImpl& argument) {
  return is_complex(gradient->dtype) && !is_complex(argument.dtype) ? real(gradient) : gradient;
}

/// The gradient of `slogdet` by the trace of the inverse times a change of the matrix. The logarithm depends
/// on its real part, the sign on its imaginary part; empty if there is no gradient.
Value share_of_trace(const GradCall& g) {
  if (!is_complex(g.in(0).dtype)) return g.grad(1);
  const Value size = g.grad(1) ? real(g.grad(1)) : Value();
  const Value turn = g.grad(0) ? -imaginary_part(conjugate(g.grad(0)) * g.out(0)) : Value();
  if (!size && !turn) return {};
  return complex(size ? size : zeros_like(turn), turn ? turn : zeros_like(size));
}

/// The part of a stack of matrices from row `first` and column `second` on, of the size of `like`.
Value upper_right(const Value& whole, const Value& like) {
  const size_t rank = like->shape.size();
  Dims starts(rank, Dim(0));
  Dims stops = like->shape;
  Dims steps(rank, Dim(1));
  starts[rank - 1] = like->shape.back();
  stops[rank - 1] = like->shape.back() + like->shape.back();
  return slice_view(whole, starts, stops, steps);
}

}  // namespace

DYAD_OP("matrix_solve(matrix: Tensor, rhs: Tensor) -> Tensor")
    .doc("The x with matrix @ x = rhs, for each matrix of a stack. A singular matrix is an error.")
    .hidden()
    .checks_data()
    .infer(infer::factorable_solution)
    .linear({1})
    .grad([](GradCall& g) {
      const Value rhs = matrix_solve(conjugate_transposed(g.value(0)), g.grad());
      g.set(1, of_kind(rhs, g.in(1)));
      g.set(0, of_kind(-matmul(rhs, conjugate_transposed(g.out())), g.in(0)));
    })
    .batch(batch::leading)
    .cost([](const Arguments& args, cost::Values) {
      return 2.0 / 3 * cost::cubes(args) + 2 * cost::elements(args.in(1)) * cost::axis_from_end(args.in(0));
    })
    .numpy("np.linalg.solve(matrix, rhs)")
    .samples("call(T(3, 3), T(3, 2))", "call(T(2, 4, 4), T(2, 4, 1))", "call(T(0, 2, 2), T(0, 2, 3))",
             "call(T(3, 3), T(3, 2), dtypes='complex128')")
    .rejects("ops.matrix_solve(ones(2, 3), ones(2, 1))", "ValueError",
             "its last two dimensions must be equal")
    .rejects("ops.matrix_solve(ones(2, 2), ones(2, 1))", "RuntimeError", "is singular");

DYAD_OP("matrix_solve_adjoint(matrix: Tensor, rhs: Tensor, adjoint: bool=False) -> Tensor")
    .doc("Solution of linear equations, for each matrix. A singular matrix is an error.")
    .formula("matrix @ out = rhs", "adjoint=False")
    .formula("matrixᴴ @ out = rhs", "adjoint=True")
    .arg("matrix", "floats or complex numbers of shape (*batch, n, n).")
    .arg("rhs", "of shape (*batch, n, k).")
    .arg("adjoint", "whether the conjugate transpose takes the place of the matrix.")
    .returns("Tensor with the shape of `rhs`.")
    .see("ops.matrix_solve, ops.inverse")
    .hidden()
    .function("matrix_solve(matrix, rhs, adjoint=False)")
    .primitive("MatrixSolve(adjoint=False)(matrix, rhs)")
    .compose([](const Call& call) {
      infer::require_square_factorable(call, 0, "matrix");
      return matrix_solve(call.flag(2) ? conjugate_transposed(call.value(0)) : call.value(0), call[1]);
    })
    .numpy("np.linalg.solve(matrix.swapaxes(-1, -2).conj() if adjoint else matrix, rhs)")
    .samples("call(T(3, 3), T(3, 2))", "call(T(2, 3, 3), T(2, 3, 1), True)")
    .rejects("ops.matrix_solve(ones(2, 2), ones(3, 1), True)", "ValueError", "");

DYAD_OP("inverse(input: Tensor) -> Tensor")
    .doc("Inverse of each matrix. A singular matrix is an error.")
    .formula("input @ out = I")
    .arg("input", "floats or complex numbers of shape (*batch, n, n).")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.pinv, ops.det")
    .method()
    .primitive("MatrixInverse()(x:input)")
    .checks_data()
    .mint("inverse")
    .infer(infer_square)
    .grad([](GradCall& g) {
      const Value t = conjugate_transposed(g.out());
      g.set(0, -matmul(matmul(t, g.grad()), t));
    })
    .batch(batch::leading)
    .cost([](const Arguments& args, cost::Values) { return 2 * cost::cubes(args); })
    .numpy("np.linalg.inv(input)")
    .samples("call(T(3, 3))", "call(T(2, 4, 4))", "call(T(3, 3), dtypes='complex64+complex128')")
    .rejects("ops.inverse(ones(2, 3))", "ValueError",
             "inverse: input has shape (2, 3); its last two dimensions must be equal")
    .rejects("ops.inverse(ones(2, 2))", "RuntimeError", "is singular");

DYAD_OP("slogdet(input: Tensor) -> (Tensor, Tensor)")
    .doc(
        "Sign and logarithm of the absolute value of each determinant; 0 and −∞ for a singular matrix. The "
        "sign of a complex determinant has absolute value 1.")
    .formula("det(input) = sign · exp(logabsdet)")
    .arg("input", "floats or complex numbers of shape (*batch, n, n).")
    .returns("Tuple of sign and logabsdet, each of shape `batch` and with the dtype of `input`.")
    .see("ops.det, ops.logdet")
    .function("slogdet")
    .function("log_matrix_determinant")
    .method()
    .method("log_matrix_determinant")
    .primitive("LogMatrixDeterminant()(input)")
    .infer([](const Arguments& args, Results& results) {
      infer::require_square_factorable(args, 0, "input");
      results.add(args.in(0).dtype, infer::stack_shape(args.in(0)));
      results.add(args.in(0).dtype, infer::stack_shape(args.in(0)));
    })
    .grad([](GradCall& g) {
      if (const Value share = share_of_trace(g))
        g.set(0, per_matrix(share) * conjugate_transposed(inverse(g[0])));
    })
    .batch(batch::leading)
    .cost([](const Arguments& args, cost::Values) { return 2.0 / 3 * cost::cubes(args); })
    .numpy("tuple(np.array(tuple(np.linalg.slogdet(input)), input.dtype))")
    .samples("call(T(3, 3))", "call(T(2, 4, 4))", "call(T(3, 3), dtypes='complex128')")
    .rejects("ops.slogdet(ones(2, 3))", "ValueError", "its last two dimensions must be equal");

DYAD_OP("det(input: Tensor) -> Tensor")
    .doc("Determinant of each matrix.")
    .formula("det(A) = Σ over permutations π of sgn(π) · Πᵢ A[i, π(i)]")
    .arg("input", "floats or complex numbers of shape (*batch, n, n).")
    .returns("Tensor of shape `batch` with the dtype of `input`.")
    .see("ops.slogdet, ops.logdet")
    .method()
    .primitive("MatrixDeterminant()(input)")
    .compose([](const Call& call) {
      const ValueList both = slogdet.all(call[0]);
      return both[0] * exp(both[1]);
    })
    .grad([](GradCall& g) {
      const Value minors = cofactors(g[0]);
      g.set(0, per_matrix(g.grad()) * (is_complex(minors->dtype) ? conjugate(minors) : minors));
    })
    .numpy("np.linalg.det(input)")
    .samples("call(T(3, 3))", "call(T(2, 4, 4))", "call(T(3, 3), dtypes='complex128')")
    .rejects("ops.det(ones(2, 3))", "ValueError", "its last two dimensions must be equal");

DYAD_OP("cofactors(input: Tensor) -> Tensor")
    .doc(
        "For each element of a matrix, the determinant without its row and column, with the sign of its "
        "place. A singular matrix has them too, but is an error if they are differentiated.")
    .hidden()
    .infer(infer_square)
    .compose([](const Call& call) {
      const DType dtype = call.in(0).dtype;  // the large determinant and the small inverse need digits
      const bool enough = dtype == DType::kFloat64 || is_complex(dtype);
      const Value a = cast(call[0], enough ? dtype : DType::kFloat32);
      return cast(per_matrix(det(a)) * transposed(inverse(a)), dtype);
    })
    .cost([](const Arguments& args, cost::Values) { return 14 * cost::cubes(args); })
    .numpy("ref.cofactors(input)")
    .samples("call(T(3, 3))", "call(T(2, 4, 4))", "call(T(1, 1))", "call(T(0, 2, 2))")
    .rejects("dyad._core.named_op('cofactors')(ones(2, 3))", "ValueError",
             "its last two dimensions must be equal");

DYAD_OP("logdet(input: Tensor) -> Tensor")
    .doc(
        "Logarithm of the determinant of each matrix. It is NaN where the determinant is negative and −∞ "
        "where it is 0.")
    .formula("logdet(A) = log(det(A))")
    .arg("input", "floats or complex numbers of shape (*batch, n, n).")
    .returns("Tensor of shape `batch` with the dtype of `input`.")
    .see("ops.det, ops.slogdet")
    .method()
    .compose([](const Call& call) {
      const ValueList both = slogdet.all(call[0]);
      return both[1] + log(both[0]);
    })
    .numpy("np.log(np.linalg.det(input))")
    .samples("call(V([[2.0, 1.0], [0.5, 3.0]], 'float32'))")
    .rejects("ops.logdet(ones(2, 3))", "ValueError", "its last two dimensions must be equal");

DYAD_OP("matrix_exp(input: Tensor) -> Tensor")
    .doc("Matrix exponential of each matrix.")
    .formula("exp(A) = Σₖ Aᵏ / k!, k = 0, 1, 2, …")
    .arg("input", "floats of shape (*batch, n, n).")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.matrix_power, ops.exp")
    .primitive("MatrixExp()(input)")
    .infer([](const Arguments& args, Results& results) {
      infer::require_square(args, 0, "input");
      results.add(args.in(0).dtype, args.in(0).shape);
    })
    .grad([](GradCall& g) {
      // The derivative in a direction is the upper right block of the exponential of a block matrix.
      const Value t = transposed(g.value(0));
      const Value upper = concat(ValueList{t, g.grad()}, -1);
      const Value lower = concat(ValueList{zeros_like(t), t}, -1);
      g.set(0, upper_right(matrix_exp(concat(ValueList{upper, lower}, -2)), g.value(0)));
    })
    .batch(batch::leading)
    .cost([](const Arguments& args, cost::Values) { return 20 * cost::cubes(args); })
    .numpy("ref.matrix_exp(input)")
    .samples("call(T(3, 3))", "call(T(2, 2, 2))")
    .rejects("ops.matrix_exp(ones(3))", "ValueError", "it must have at least 2 dimensions");

}  // namespace dyad
