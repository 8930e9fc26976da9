#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/cost.h"
#include "ops/infer.h"
#include "ops/linalg/matrices.h"

namespace dyad {

namespace {

DYAD_USE(matmul, cholesky, triangular_solve, triangle, inverse);

/// The lower factor of an argument that may hold the upper one.
Value lower_factor(const Call& call, size_t at, size_t upper) {
  return call.flag(upper) ? transposed(call.value(at)) : call.value(at);
}

}  // namespace

DYAD_OP("cholesky(input_x: Tensor, upper: bool=False) -> Tensor")
    .doc("Cholesky decomposition of each positive definite matrix.")
    .formula("input_x = L · Lᵀ, out = L", "upper=False")
    .formula("input_x = Uᵀ · U, out = U", "upper=True")
    .arg("input_x", "floats of shape (*batch, n, n), symmetric and positive definite.")
    .arg("upper", "whether the upper triangular factor is returned.")
    .returns("Tensor with the shape and dtype of `input_x`.")
    .see("ops.cholesky_solve, ops.cholesky_inverse")
    .alias("input", "input_x")
    .method("cholesky(upper=False)")
    .primitive("Cholesky(upper=False)(input_x)")
    .checks_data()
    .infer([](const Arguments& args, Results& results) {
      infer::require_square(args, 0, "input_x");
      results.add(args.in(0).dtype, args.in(0).shape);
    })
    .grad([](GradCall& g) {
      const Value factor = g.flag(1) ? transposed(g.out()) : g.out();
      const Value gradient = g.flag(1) ? transposed(g.grad()) : g.grad();
      // phi: the lower triangle with half its diagonal
      const Value product = matmul(transposed(factor), gradient);
      const Value phi = (triangle(product) + triangle(product, -1)) * 0.5;
      const Value back = inverse(factor);
      const Value whole = matmul(matmul(transposed(back), phi), back);
      g.set(0, (whole + transposed(whole)) * 0.5);
    })
    .batch(batch::leading)
    .cost([](const Arguments& args, cost::Values) { return 1.0 / 3 * cost::cubes(args); })
    .numpy("ref.cholesky(input_x, upper)")
    .samples("call(V([[4.0, 2.0, 0.6], [2.0, 5.0, 1.0], [0.6, 1.0, 3.0]], 'float32'))",
             "call(V([[4.0, 2.0], [2.0, 5.0]], 'float64'), True)")
    .rejects("ops.cholesky(-ones(2, 2))", "RuntimeError",
             "cholesky: matrix 0 of the stack is not positive definite")
    .rejects("ops.cholesky(ones(2, 3))", "ValueError", "its last two dimensions must be equal");

DYAD_OP("triangular_solve(matrix: Tensor, rhs: Tensor, lower: bool=True, adjoint: bool=False) -> Tensor")
    .hidden()
    .doc("Solution of linear equations with a triangular matrix. The other triangle is not read.")
    .formula("matrix @ out = rhs", "adjoint=False")
    .formula("matrixᴴ @ out = rhs", "adjoint=True")
    .arg("matrix", "floats of shape (*batch, n, n).")
    .arg("rhs", "of shape (*batch, n, k).")
    .arg("lower", "whether the lower triangle is read.")
    .arg("adjoint", "whether the conjugate transpose takes the place of the matrix.")
    .returns("Tensor with the shape and dtype of `rhs`.")
    .see("ops.cholesky_solve")
    .primitive("MatrixTriangularSolve(lower=True, adjoint=False)(matrix, rhs)")
    .checks_data()
    .infer(infer::solution)
    .linear({1})
    .grad([](GradCall& g) {
      const Value rhs = triangular_solve(g[0], g.grad(), g[2], !g.flag(3));
      g.set(1, rhs);
      const Value outer = g.flag(3) ? matmul(g.out(), transposed(rhs)) : matmul(rhs, transposed(g.out()));
      g.set(0, -(g.flag(2) ? triangle(outer) : transposed(triangle(transposed(outer)))));
    })
    .batch(batch::leading)
    .cost([](const Arguments& args, cost::Values) {
      return cost::elements(args.in(1)) * cost::axis_from_end(args.in(0));
    })
    .numpy("ref.triangular_solve(matrix, rhs, lower, adjoint)")
    .samples("call(T(3, 3, lo=1, hi=2), T(3, 2))", "call(T(2, 3, 3, lo=1, hi=2), T(2, 3, 1), False)",
             "call(T(3, 3, lo=1, hi=2), T(3, 2), True, True)")
    .rejects("ops.MatrixTriangularSolve()(ones(2, 2), ones(3, 1))", "ValueError",
             "rhs must have as many rows as matrix");

DYAD_OP("cholesky_solve(input: Tensor, input2: Tensor, upper: bool=False) -> Tensor")
    .doc("Solution of linear equations from the Cholesky factor of the matrix.")
    .formula("(L · Lᵀ) @ out = input, L = input2", "upper=False")
    .formula("(Uᵀ · U) @ out = input, U = input2", "upper=True")
    .arg("input", "right-hand sides, floats of shape (*batch, n, k).")
    .arg("input2", "Cholesky factor, of shape (*batch, n, n).")
    .arg("upper", "whether the factor is upper triangular.")
    .returns("Tensor with the shape of `input`.")
    .see("ops.cholesky, ops.cholesky_inverse")
    .method("cholesky_solve(input2, upper=False)")
    .primitive("CholeskySolve(upper=False)(x1:input, x2:input2)")
    .compose([](const Call& call) {
      const Value factor = lower_factor(call, 1, 2);
      return triangular_solve(factor, triangular_solve(factor, call[0]), true, true);
    })
    .numpy("ref.cholesky_solve(input, input2, upper)")
    .samples("call(T(3, 2), V([[2.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.3, 0.4, 1.5]], 'float32'))")
    .rejects("ops.cholesky_solve(ones(3, 1), ones(2, 2))", "ValueError",
             "rhs must have as many rows as matrix");

DYAD_OP("cholesky_inverse(input_x: Tensor, upper: bool=False) -> Tensor")
    .doc("Inverse of a matrix from its Cholesky factor.")
    .formula("out = (L · Lᵀ)⁻¹, L = input_x", "upper=False")
    .formula("out = (Uᵀ · U)⁻¹, U = input_x", "upper=True")
    .arg("input_x", "Cholesky factor, floats of shape (*batch, n, n).")
    .arg("upper", "whether the factor is upper triangular.")
    .returns("Tensor with the shape and dtype of `input_x`.")
    .see("ops.cholesky, ops.cholesky_solve")
    .method("cholesky_inverse(upper=False)")
    .primitive("CholeskyInverse(upper=False)(input_x)")
    .compose([](const Call& call) {
      infer::require_square(call, 0, "input_x");
      const Value back = inverse(lower_factor(call, 0, 1));
      return matmul(transposed(back), back);
    })
    .numpy("np.linalg.inv(input_x.T @ input_x if upper else input_x @ input_x.T)")
    .samples("call(V([[2.0, 0.0], [1.0, 2.0]], 'float32'))",
             "call(V([[2.0, 1.0], [0.0, 2.0]], 'float32'), True)")
    .rejects("ops.cholesky_inverse(ones(2, 3))", "ValueError", "its last two dimensions must be equal");

}  // namespace dyad
