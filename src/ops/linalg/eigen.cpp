#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/cost.h"
#include "ops/infer.h"
#include "ops/linalg/matrices.h"

// Eigenvalues of any square matrix, which may be complex, and functions of them.

namespace dyad {

namespace {

DYAD_USE(adjoint, cast, concat, conjugate, diag_embed, diagonal, eigen, expand_dims, eye, matmul,
         matrix_logarithm, narrow, real, zeros_like);

DType complex_of(DType dtype) {
  if (is_complex(dtype)) return dtype;
  return dtype == DType::kFloat64 ? DType::kComplex128 : DType::kComplex64;
}

/// The gradient by the matrix, from those by eigenvalues, vectors and their inverse; the length and phase of
/// a vector do not vary.
void grad_eigen(GradCall& g) {
  const Value& vectors = g.out(1);
  const Value vectors_adjoint = adjoint(vectors);
  const Value inverse_adjoint = adjoint(g.out(2));
  Value by_vectors = g.grad(1);
  if (g.grad(2)) {
    const Value through = -matmul(matmul(inverse_adjoint, g.grad(2)), inverse_adjoint);
    by_vectors = by_vectors ? by_vectors + through : through;
  }
  Value inner;
  if (by_vectors) {
    const Value turned = matmul(vectors_adjoint, by_vectors);
    const Value along = cast(real(diagonal(turned, 0, -2, -1)), turned->dtype);
    const Value across = turned - matmul(vectors_adjoint, vectors * expand_dims(along, -2));
    const Value one = eye(g.builder(), infer::rows(*vectors).value(), Arg(), turned->dtype);
    const Value gaps = conjugate(expand_dims(g.out(0), -2) - expand_dims(g.out(0), -1));
    inner = across * (1 - one) / (gaps + one);
  }
  if (g.grad(0)) inner = inner ? inner + diag_embed(g.grad(0)) : diag_embed(g.grad(0));
  const Value whole = matmul(matmul(inverse_adjoint, inner), vectors_adjoint);
  g.set(0, is_complex(g.in(0).dtype) ? whole : cast(real(whole), g.in(0).dtype));
}

}  // namespace

DYAD_OP("eigen(input: Tensor) -> (Tensor, Tensor, Tensor)")
    .doc(
        "Eigenvalues of each matrix of a stack, its eigenvectors in columns of length 1 with a real largest "
        "element, and the inverse of the matrix of vectors; all are complex.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      infer::require_square_factorable(args, 0, "input");
      const DType dtype = complex_of(args.in(0).dtype);
      Shape values = infer::stack_shape(args.in(0));
      values.push_back(infer::rows(args.in(0)));
      results.add(dtype, values);
      results.add(dtype, args.in(0).shape);
      results.add(dtype, args.in(0).shape);
    })
    .grad(grad_eigen)
    .batch(batch::leading)
    .cost([](const Arguments& args, cost::Values) { return 25 * cost::cubes(args); })
    .numpy("ref.eigen(input)")
    .samples("call(V([[2.0, 1.0, 0.5], [0.0, 3.0, -1.0], [0.0, 0.0, -1.5]], 'float32'))",
             "call(V([[[2.0, 1.0], [0.0, 3.0]], [[1.0, 0.0], [0.0, 4.0]]], 'float32'))")
    .rejects("dyad._core.named_op('eigen')(ones(2, 3))", "ValueError",
             "its last two dimensions must be equal")
    .rejects("dyad._core.named_op('eigen')(ints(2, 2))", "TypeError", "accepted are float and complex");

DYAD_OP("eig(A: Tensor) -> (Tensor, Tensor)")
    .doc("Eigenvalue decomposition of each square matrix.")
    .formula("A @ v[…, :, k] = w[…, k] · v[…, :, k]")
    .arg("A", "floats or complex numbers of shape (*batch, n, n).")
    .returns(
        "Tuple of the eigenvalues w, of shape (*batch, n), and the eigenvectors v, in columns; both complex.")
    .see("ops.eigvals")
    .compose([](const Call& call) -> ValueList {
      infer::require_square_factorable(call, 0, "A");
      const ValueList parts = eigen.all(call.value(0));
      return {parts[0], parts[1]};
    })
    .numpy("ref.eigen(A)[:2]")
    .samples("call(V([[2.0, 1.0], [0.0, 3.0]], 'float32'))")
    .rejects("ops.eig(ones(2, 3))", "ValueError", "its last two dimensions must be equal");

DYAD_OP("eigvals(A: Tensor) -> Tensor")
    .doc("Eigenvalues of each square matrix.")
    .formula("det(A − w[…, k] · I) = 0")
    .arg("A", "floats or complex numbers of shape (*batch, n, n).")
    .returns("Tensor of complex numbers and shape (*batch, n).")
    .see("ops.eig")
    .method("eigvals()")
    .compose([](const Call& call) {
      infer::require_square_factorable(call, 0, "A");
      return eigen.all(call.value(0))[0];
    })
    .numpy("ref.eigen(A)[0]")
    .samples("call(V([[2.0, 1.0], [0.0, 3.0]], 'float32'))")
    .rejects("ops.eigvals(ones(2, 3))", "ValueError", "its last two dimensions must be equal");

DYAD_OP("matrix_logarithm(x: Tensor) -> Tensor")
    .doc("Principal logarithm of each complex matrix. A singular matrix is an error.")
    .formula("exp(out) = x")
    .arg("x", "complex numbers of shape (*batch, n, n).")
    .returns("Tensor with the shape and dtype of `x`.")
    .see("ops.matrix_exp")
    .hidden()
    .primitive("MatrixLogarithm()(x)")
    .infer([](const Arguments& args, Results& results) {
      infer::require_square_factorable(args, 0, "x");
      infer::require_dtype(args, 0, is_complex(args.in(0).dtype), "complex dtypes");
      results.add(args.in(0).dtype, args.in(0).shape);
    })
    .checks_data()
    .grad([](GradCall& g) {
      // As for the exponential: the derivative in a direction is a block of the logarithm of a block matrix.
      const Value t = adjoint(g.value(0));
      const Value upper = concat(ValueList{t, g.grad()}, -1);
      const Value lower = concat(ValueList{zeros_like(t), t}, -1);
      const Value whole = matrix_logarithm(concat(ValueList{upper, lower}, -2));
      const int64_t n = infer::rows(g.in(0)).value();
      g.set(0, narrow(narrow(whole, -2, 0, n), -1, n, n));
    })
    .batch(batch::leading)
    .cost([](const Arguments& args, cost::Values) { return 60 * cost::cubes(args); })
    .numpy("ref.matrix_logarithm(x)")
    .samples("call(V([[2.0, 1.0j], [0.5, 3.0]], 'complex64'))",
             "call(V([[[4.0, 1.0], [0.0, 4.0]], [[1.0, 2.0], [-2.0, 1.0]]], 'complex64'))")
    .rejects("ops.MatrixLogarithm()(ones(2, 2))", "TypeError", "accepted are complex dtypes")
    .rejects("ops.MatrixLogarithm()(Tensor(np.zeros((2, 2), np.complex64)))", "RuntimeError", "is singular");

}  // namespace dyad
