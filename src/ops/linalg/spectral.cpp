#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/cost.h"
#include "ops/infer.h"
#include "ops/linalg/matrices.h"

namespace dyad {

namespace {

DYAD_USE(amax, conjugate, diag_embed, equal, expand_dims, eye, greater, matmul, matrix_solve, maximum,
         ones_like, pinv, pinv_above, reciprocal, sum, svd_factors, triangle, where, zeros_like);

void infer_svd(const Arguments& args, Results& results) {
  infer::require_factorable(args, 0, "input");
  const ValueImpl& a = args.in(0);
  const Dim least = min(infer::rows(a), infer::columns(a));
  const Dim left = args.flag(1) ? infer::rows(a) : least;
  const Dim right = args.flag(1) ? infer::columns(a) : least;
  Shape values = infer::stack_shape(a);
  values.push_back(least);
  results.add(a.dtype, values);
  results.add(a.dtype, infer::stack_of(infer::stack_shape(a), infer::rows(a), left));
  results.add(a.dtype, infer::stack_of(infer::stack_shape(a), infer::columns(a), right));
}

/// a / b, and 0 where b is 0: there the vectors are not unique, and the gradient of a result that is
/// a smooth function of them is 0.
Value ratio(const Value& a, const Value& b) {
  const Value undefined = equal(b, 0.0);
  return where(undefined, zeros_like(a), a / where(undefined, ones_like(b), b));
}

/// column - row, for all pairs of elements of each vector.
Value pairwise_differences(const Value& v) { return expand_dims(v, -2) - expand_dims(v, -1); }

/// The part of a gradient of `vectors` that is orthogonal to their span.
Value outside_span(const Value& vectors, const Value& gradient) {
  return gradient - matmul(vectors, matmul(transposed(vectors), gradient));
}

Value antisymmetric(const Value& vectors, const Value& gradient) {
  const Value product = matmul(transposed(vectors), gradient);
  return product - transposed(product);
}

void refuse_free_columns(const GradCall& g, const Value& vectors, const Value& gradient) {
  if (!gradient || !g.flag(1) || infer::columns(*vectors).value() <= g.out(0)->shape.back().value()) return;
  value_error(g.op(), ": with full matrices the last vectors of a matrix of shape ", g.in(0).shape,
              " may turn freely, so they have no derivative; full_matrices=False leaves them out");
}

void grad_svd(GradCall& g) {
  if (is_complex(g.in(0).dtype)) {
    raise(
        ErrorKind::kUnsupported,
        cat(g.op(), ": the factors of a complex matrix have no derivative here; accepted are real matrices"));
  }
  const Value& s = g.out(0);
  const Dim kept = s->shape.back();
  refuse_free_columns(g, g.out(1), g.grad(1));
  refuse_free_columns(g, g.out(2), g.grad(2));
  const Value u = columns_between(g.out(1), 0, kept);
  const Value v = columns_between(g.out(2), 0, kept);
  const Value differences = pairwise_differences(s * s);
  const Value row = expand_dims(s, -2);
  const Value column = expand_dims(s, -1);

  // The sum is between u and the transpose of v: gradients of the values on the diagonal, of the vectors next
  // to it.
  Value inner;
  const auto add = [&inner](const Value& term) { inner = inner ? inner + term : term; };
  if (g.grad(0)) add(diag_embed(g.grad(0)));
  if (g.grad(1)) add(ratio(antisymmetric(u, g.grad(1)), differences) * row);
  if (g.grad(2)) add(ratio(antisymmetric(v, g.grad(2)), differences) * column);
  Value gradient = matmul(matmul(u, inner), transposed(v));
  if (g.grad(1)) gradient = gradient + matmul(ratio(outside_span(u, g.grad(1)), row), transposed(v));
  if (g.grad(2)) gradient = gradient + matmul(u, transposed(ratio(outside_span(v, g.grad(2)), row)));
  g.set(0, gradient);
}

void grad_eigh(GradCall& g) {
  const Value& vectors = g.out(1);
  Value inner;
  if (g.grad(0)) inner = diag_embed(g.grad(0));
  if (g.grad(1)) {
    const Value turned = ratio(matmul(transposed(vectors), g.grad(1)), pairwise_differences(g.out(0)));
    inner = inner ? inner + turned : turned;
  }
  const Value whole = matmul(matmul(vectors, inner), transposed(vectors));
  g.set(0, (whole + transposed(whole)) * 0.5);
}

/// The precision of the dtype times the larger size of the matrices, which may be dynamic.
Value rounding(const Value& x) {
  const Value one = ones_like(x);
  const Value columns = amax(sum(one, Dims{-1}), Dims{-1}, true);
  const Value rows = amax(sum(one, Dims{-2}), Dims{-1}, true);
  return maximum(rows, columns) * (x->dtype == DType::kFloat64 ? 0x1p-52 : 0x1p-23);
}

/// By the conditions that define the pseudo-inverse, so that equal singular values do no harm.
void grad_pinv(GradCall& g) {
  const Value& a = g.value(0);
  const Value& p = g.out();
  const Value pt = transposed(p);
  const Value dt = transposed(g.grad());
  const Value beyond_columns = dt - matmul(a, matmul(p, dt));
  const Value beyond_rows = dt - matmul(matmul(dt, p), a);
  g.set(0, matmul(matmul(beyond_columns, p), pt) + matmul(matmul(pt, p), beyond_rows) -
               matmul(matmul(pt, g.grad()), pt));
}

}  // namespace

DYAD_OP("svd_factors(input: Tensor, full_matrices: bool=False) -> (Tensor, Tensor, Tensor)")
    .hidden()
    .doc("Singular values s in descending order, left vectors u and right vectors v: input = u diag(s) v^T.")
    .infer(infer_svd)
    .grad(grad_svd)
    .batch(batch::leading)
    .cost([](const Arguments& args, cost::Values) { return 14 * cost::cubes(args); })
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
    .grad(grad_eigh)
    .batch(batch::leading)
    .cost([](const Arguments& args, cost::Values) { return 9 * cost::cubes(args); })
    .numpy("ref.eigh(input)")
    .samples("call(V([[2.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 1.0]], 'float32'))")
    .rejects("dyad._core.named_op('eigh')(ones(2, 3))", "ValueError",
             "its last two dimensions must be equal");

DYAD_OP("pinv_above(x: Tensor, rtol: float?, atol: float) -> Tensor")
    .doc(
        "The pseudo-inverse; singular values up to atol, or up to rtol times the largest, count as 0. "
        "Without "
        "rtol it is the precision of the dtype times the larger size.")
    .hidden()
    .compose_wide([](const Call& call) {
      infer::require_matrices(call, 0, "x");
      const ValueList parts = svd_factors.all(call[0]);
      const Value& s = parts[0];
      const Value greatest = amax(s, Dims{-1}, true);
      const Value relative = call.has(1) ? greatest * call.real(1) : greatest * rounding(call.value(0));
      const Value large = greater(s, maximum(relative, call[2]));
      const Value turned = where(large, reciprocal(where(large, s, zeros_like(s) + 1.0)), zeros_like(s));
      return matmul(parts[2] * expand_dims(turned, -2), transposed(parts[1]));
    })
    .grad(grad_pinv)
    .numpy("np.linalg.pinv(x)")
    .samples("call(T(4, 3), 1e-6, 0.0)", "call(T(2, 3, 4), 0.0, 1e-6)", "call(T(4, 3), None, 0.0)")
    .rejects("dyad._core.named_op('pinv_above')(ones(3), 0.0, 0.0)", "ValueError",
             "it must have at least 2 dimensions");

DYAD_OP("pinv(x: Tensor, atol: float?=None, rtol: float?=None, hermitian: bool=False) -> Tensor")
    .doc(
        "Moore–Penrose pseudoinverse of each matrix, from its singular value decomposition x = U diag(σ) Vᴴ.")
    .formula("out = V diag(σ⁺) Uᴴ")
    .formula("σ⁺ = 1/σ", "σ > max(atol, rtol · σ_max)")
    .formula("σ⁺ = 0", "otherwise")
    .arg("x", "floats or complex numbers of shape (*batch, m, n).")
    .arg("atol", "absolute tolerance; None: 0.")
    .arg("rtol", "relative tolerance; None: 0 if `atol` is given, else max(m, n) · precision of the dtype.")
    .arg("hermitian", "whether `x` is Hermitian; only the lower triangle is read.")
    .returns("Tensor of shape (*batch, n, m).")
    .see("ops.inverse, ops.lstsq")
    .function("pinv(x, *, atol=None, rtol=None, hermitian=False)")
    .compose([](const Call& call) {
      infer::require_matrices(call, 0, "x");
      Value x = call.value(0);
      for (size_t i = 1; i < 3; ++i) {
        if (call.has(i) && call.real(i) < 0) {
          value_error(call.op(), ": ", i == 1 ? "atol" : "rtol", " is ", call.real(i),
                      "; it must be 0 or more");
        }
      }
      if (call.flag(3)) {
        infer::require_square(call, 0, "x");
        const Value below = triangle(x, -1);
        x = triangle(x, 0) + conjugate(transposed(below));
      }
      const Arg rtol = call.has(1) && !call.has(2) ? Arg(0.0) : call[2];
      return pinv_above(x, rtol, call.real(1, 0.0));
    })
    .numpy("np.linalg.pinv(np.tril(x) + np.tril(x, -1).swapaxes(-1, -2) if hermitian else x)")
    .samples("call(T(4, 3))", "call(T(2, 3, 4), atol=1e-6)", "call(T(3, 3), rtol=1e-6, hermitian=True)")
    .rejects("ops.pinv(ones(3))", "ValueError", "it must have at least 2 dimensions")
    .rejects("ops.pinv(ones(3, 3), rtol=-1.0)", "ValueError", "rtol is -1.0; it must be 0 or more");

DYAD_OP("lstsq(input: Tensor, A: Tensor) -> Tensor")
    .doc("Least squares solution of least norm.")
    .formula("out = pinv(input) @ A, which minimizes ‖input @ out − A‖₂")
    .arg("input", "floats of shape (m, n).")
    .arg("A", "right-hand sides, of shape (m, k).")
    .returns("Tensor of shape (n, k).")
    .see("ops.pinv")
    .method("lstsq(A)")
    .compose_wide([](const Call& call) {
      infer::require_matrices(call, 0, "input");
      infer::require_matrices(call, 1, "A");
      return matmul(pinv(call[0]), call[1]);
    })
    .numpy("np.linalg.lstsq(input, A, rcond=None)[0]")
    .samples("call(T(5, 3), T(5, 2))", "call(T(2, 4), T(2, 1))")
    .rejects("ops.lstsq(ones(3), ones(3, 1))", "ValueError", "it must have at least 2 dimensions");

DYAD_OP("ridge_lstsq(x: Tensor, a: Tensor, fast: bool=True, l2_regularizer: float=0.0) -> Tensor")
    .doc(
        "Least squares solution, with L2 regularization if `fast` is True; otherwise, or without "
        "regularization, the solution of least norm.")
    .formula("out minimizes ‖x @ out − a‖² + l2_regularizer · ‖out‖²")
    .arg("x", "floats of shape (*batch, m, n).")
    .arg("a", "right-hand sides, of shape (*batch, m, k).")
    .arg("fast", "whether the normal equations with the regularizer are solved.")
    .arg("l2_regularizer", "factor of the squared norm.")
    .returns("Tensor of shape (*batch, n, k).")
    .see("ops.lstsq")
    .hidden()
    .primitive("Lstsq(fast=True, l2_regularizer=0.0)(x, a)")
    .compose_wide([](const Call& call) {
      infer::require_matrices(call, 0, "x");
      infer::require_matrices(call, 1, "a");
      const Value& x = call.value(0);
      if (!call.flag(2) || call.real(3) == 0.0) return matmul(pinv(x), call[1]);
      const Value xt = transposed(x);
      const Value ridge = eye(call.builder(), infer::columns(*x).value(), Arg(), x->dtype) * call[3];
      return matrix_solve(matmul(xt, x) + ridge, matmul(xt, call[1]));
    })
    .numpy("ref.ridge_lstsq(x, a, l2_regularizer if fast else 0.0)")
    .samples("call(T(5, 3), T(5, 2))", "call(T(5, 3), T(5, 2), True, 0.5)", "call(T(2, 4), T(2, 1), False)")
    .rejects("ops.Lstsq()(ones(3), ones(3, 1))", "ValueError", "it must have at least 2 dimensions");

}  // namespace dyad
