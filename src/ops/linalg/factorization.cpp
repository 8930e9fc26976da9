#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/linalg/matrices.h"

namespace dyad {

namespace {

DYAD_USE(matmul)
DYAD_USE(swapaxes)
DYAD_USE(cholesky)
DYAD_USE(triangular_solve)
DYAD_USE(triangle)
DYAD_USE(inverse)
DYAD_USE(qr_factors)
DYAD_USE(svd_factors)
DYAD_USE(pinv)
DYAD_USE(expand_dims)
DYAD_USE(where)
DYAD_USE(greater)
DYAD_USE(zeros_like)
DYAD_USE(amax)
DYAD_USE(reciprocal)

Value transposed(const Value& a) { return swapaxes(a, -2, -1); }

void infer_triangular(const Arguments& args, Results& results) {
  infer::require_square(args, 0, "matrix");
  infer::require_matrices(args, 1, "rhs");
  infer::require_same_stack(args, 0, 1);
  if (!(infer::columns(args.in(0)) == infer::rows(args.in(1)))) {
    value_error(args.op(), ": matrix has shape ", args.in(0).shape, " and rhs ", args.in(1).shape,
                "; rhs must have as many rows as matrix");
  }
  results.add(promote(args.op(), args.in(0).dtype, args.in(1).dtype), args.in(1).shape);
}

Shape with(Shape stack, Dim rows, Dim columns) {
  stack.push_back(rows);
  stack.push_back(columns);
  return stack;
}

void infer_qr(const Arguments& args, Results& results) {
  infer::require_matrices(args, 0, "input");
  const ValueImpl& a = args.in(0);
  const Dim kept = args.flag(1) ? infer::rows(a) : min(infer::rows(a), infer::columns(a));
  results.add(a.dtype, with(infer::stack_shape(a), infer::rows(a), kept));
  results.add(a.dtype, with(infer::stack_shape(a), kept, infer::columns(a)));
}

void infer_svd(const Arguments& args, Results& results) {
  infer::require_matrices(args, 0, "input");
  const ValueImpl& a = args.in(0);
  const Dim least = min(infer::rows(a), infer::columns(a));
  const Dim left = args.flag(1) ? infer::rows(a) : least;
  const Dim right = args.flag(1) ? infer::columns(a) : least;
  Shape values = infer::stack_shape(a);
  values.push_back(least);
  results.add(a.dtype, values);
  results.add(a.dtype, with(infer::stack_shape(a), infer::rows(a), left));
  results.add(a.dtype, with(infer::stack_shape(a), infer::columns(a), right));
}

/// The lower factor of an argument that may hold the upper one.
Value lower_factor(const Call& call, size_t at, size_t upper) {
  return call.flag(upper) ? transposed(call.value(at)) : call.value(at);
}

}  // namespace

DYAD_OP("cholesky(input_x: Tensor, upper: bool=False) -> Tensor")
    .doc(
        "The lower (or upper) triangular factor whose product with its transpose is the positive definite "
        "input.")
    .alias("input", "input_x")
    .method("cholesky(upper=False)")
    .primitive("Cholesky(upper=False)(input_x)")
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
    .numpy("ref.cholesky(input_x, upper)")
    .samples("call(V([[4.0, 2.0, 0.6], [2.0, 5.0, 1.0], [0.6, 1.0, 3.0]], 'float32'))",
             "call(V([[4.0, 2.0], [2.0, 5.0]], 'float64'), True)")
    .rejects("ops.cholesky(-ones(2, 2))", "RuntimeError",
             "cholesky: matrix 0 of the stack is not positive definite")
    .rejects("ops.cholesky(ones(2, 3))", "ValueError", "its last two dimensions must be equal");

DYAD_OP("triangular_solve(matrix: Tensor, rhs: Tensor, lower: bool=True, adjoint: bool=False) -> Tensor")
    .hidden()
    .doc("The x with matrix @ x = rhs for a triangular matrix; the other triangle is not read.")
    .primitive("MatrixTriangularSolve(lower=True, adjoint=False)(matrix, rhs)")
    .infer(infer_triangular)
    .grad([](GradCall& g) {
      const Value rhs = triangular_solve(g[0], g.grad(), g[2], !g.flag(3));
      g.set(1, rhs);
      const Value outer = g.flag(3) ? matmul(g.out(), transposed(rhs)) : matmul(rhs, transposed(g.out()));
      g.set(0, -(g.flag(2) ? triangle(outer) : transposed(triangle(transposed(outer)))));
    })
    .numpy("ref.triangular_solve(matrix, rhs, lower, adjoint)")
    .samples("call(T(3, 3, lo=1, hi=2), T(3, 2))", "call(T(2, 3, 3, lo=1, hi=2), T(2, 3, 1), False)",
             "call(T(3, 3, lo=1, hi=2), T(3, 2), True, True)")
    .rejects("ops.MatrixTriangularSolve()(ones(2, 2), ones(3, 1))", "ValueError",
             "rhs must have as many rows as matrix");

DYAD_OP("cholesky_solve(input: Tensor, input2: Tensor, upper: bool=False) -> Tensor")
    .doc("The x with a @ x = input, for the matrix a whose Cholesky factor is input2.")
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
    .doc("The inverse of the matrix whose Cholesky factor is given.")
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

DYAD_OP("qr_factors(input: Tensor, full: bool=False) -> (Tensor, Tensor)")
    .hidden()
    .doc("q with orthonormal columns and upper triangular r whose product is the input.")
    .primitive("Qr(full_matrices:full=False)(x:input)")
    .infer(infer_qr)
    .no_grad("the factors are not differentiated in this version")
    .numpy("ref.qr(input, full)")
    .samples("call(T(3, 3))", "call(T(2, 4, 3))", "call(T(3, 5))", "call(T(4, 2), True)")
    .rejects("ops.Qr()(ones(3))", "ValueError", "it must have at least 2 dimensions");

DYAD_OP("qr(input: Tensor, mode: str='reduced') -> (Tensor, Tensor)")
    .doc(
        "q with orthonormal columns and upper triangular r whose product is the input; mode 'complete' makes "
        "q square.")
    .method("qr(mode='reduced')")
    .compose([](const Call& call) {
      const std::string& mode = call.text(1);
      if (mode != "reduced" && mode != "complete") {
        value_error(call.op(), ": mode is '", mode, "'; accepted are 'reduced' and 'complete'");
      }
      return qr_factors.all(call[0], mode == "complete");
    })
    .no_grad("the factors are not differentiated in this version")
    .numpy("ref.qr(input, mode == 'complete')")
    .samples("call(T(4, 3))", "call(T(4, 3), 'complete')")
    .rejects("ops.qr(ones(2, 2), 'thin')", "ValueError",
             "qr: mode is 'thin'; accepted are 'reduced' and 'complete'");

DYAD_OP("svd_factors(input: Tensor, full_matrices: bool=False) -> (Tensor, Tensor, Tensor)")
    .hidden()
    .doc("Singular values s in descending order, left vectors u and right vectors v: input = u diag(s) v^T.")
    .infer(infer_svd)
    .no_grad("the factors are not differentiated in this version")
    .numpy("ref.svd(input)")
    .samples("call(T(3, 3))", "call(T(2, 4, 3))", "call(T(3, 5))")
    .rejects("dyad._core.named_op('svd_factors')(ones(3))", "ValueError",
             "it must have at least 2 dimensions");

DYAD_OP("eigh(input: Tensor) -> (Tensor, Tensor)")
    .hidden()
    .doc("Eigenvalues of symmetric matrices in ascending order and their vectors in columns.")
    .infer([](const Arguments& args, Results& results) {
      infer::require_square(args, 0, "input");
      Shape values = infer::stack_shape(args.in(0));
      values.push_back(infer::rows(args.in(0)));
      results.add(args.in(0).dtype, values);
      results.add(args.in(0).dtype, args.in(0).shape);
    })
    .no_grad("the factors are not differentiated in this version")
    .numpy("ref.eigh(input)")
    .samples("call(V([[2.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 1.0]], 'float32'))")
    .rejects("dyad._core.named_op('eigh')(ones(2, 3))", "ValueError",
             "its last two dimensions must be equal");

DYAD_OP("pinv(x: Tensor, rtol: float=1e-6) -> Tensor")
    .doc("The pseudo-inverse; singular values below rtol times the largest count as 0.")
    .function("pinv(x, *, rtol=1e-6)")
    .compose([](const Call& call) {
      const ValueList parts = svd_factors.all(call[0]);
      const Value& s = parts[0];
      const Value large = greater(s, amax(s, Dims{-1}, true) * call.real(1));
      const Value turned = where(large, reciprocal(where(large, s, zeros_like(s) + 1.0)), zeros_like(s));
      return matmul(parts[2] * expand_dims(turned, -2), transposed(parts[1]));
    })
    .no_grad("the singular vectors are not differentiated in this version")
    .numpy("np.linalg.pinv(x)")
    .samples("call(T(4, 3))", "call(T(2, 3, 4))")
    .rejects("ops.pinv(ones(3))", "ValueError", "it must have at least 2 dimensions");

DYAD_OP("lstsq(input: Tensor, A: Tensor) -> Tensor")
    .doc("The x of least norm that makes input @ x nearest to A.")
    .method("lstsq(A)")
    .primitive("Lstsq()(x:input, a:A)")
    .compose([](const Call& call) {
      infer::require_matrices(call, 0, "input");
      infer::require_matrices(call, 1, "A");
      return matmul(pinv(call[0]), call[1]);
    })
    .no_grad("the singular vectors are not differentiated in this version")
    .numpy("np.linalg.lstsq(input, A, rcond=None)[0]")
    .samples("call(T(5, 3), T(5, 2))", "call(T(2, 4), T(2, 1))")
    .rejects("ops.lstsq(ones(3), ones(3, 1))", "ValueError", "it must have at least 2 dimensions");

}  // namespace dyad
