#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/linalg/square.h"

namespace dyad {

namespace {

DYAD_USE(amax)
DYAD_USE(conj)
DYAD_USE(expand_dims)
DYAD_USE(eye)
DYAD_USE(greater)
DYAD_USE(inverse)
DYAD_USE(matmul)
DYAD_USE(mul)
DYAD_USE(pinv)
DYAD_USE(reciprocal)
DYAD_USE(singular_values)
DYAD_USE(solve)
DYAD_USE(sub)
DYAD_USE(swapaxes)
DYAD_USE(tril)
DYAD_USE(where)
DYAD_USE(zeros_like)

Value adjoint(const Value& x) {
  const Value flipped = swapaxes(x, -1, -2);
  return is_complex(x->dtype) ? conj(flipped) : flipped;
}

Value identity(const Call& call, Dim size, DType dtype) { return eye(call.builder(), size.value(), nullptr, dtype); }

Shape with_last(const Shape& shape, Dim rows, Dim columns) {
  Shape result(shape.begin(), shape.end() - 2);
  result.push_back(rows);
  result.push_back(columns);
  return result;
}

/// The gradient of A = L L^H: symmetric, from that of L.
void cholesky_gradient(GradCall& g) {
  const bool upper = g.flag(1);
  const Value l = upper ? adjoint(g.out()) : g.out();
  const Value gradient = upper ? adjoint(g.grad()) : g.grad();
  const Value product = tril(matmul(adjoint(l), gradient));
  const Value half = sub(product, mul(mul(product, identity(g, l->shape.back(), l->dtype)), 0.5));
  const Value middle = mul(half + adjoint(half), 0.5);
  const Value inner = solve(adjoint(l), middle);
  g.set(0, adjoint(solve(adjoint(l), adjoint(inner))));
}

/// Needs at least as many rows as columns and no more columns of Q than that.
void qr_gradient(GradCall& g) {
  const Value& q = g.out(0);
  const Value& r = g.out(1);
  if (!(r->shape.back() == r->shape[r->shape.size() - 2])) {
    value_error("qr: the gradient is defined for matrices with at least as many rows as columns and mode 'reduced'");
  }
  const Value by_q = g.grad(0) ? g.grad(0) : zeros_like(q);
  const Value by_r = g.grad(1) ? g.grad(1) : zeros_like(r);
  const Value m = sub(matmul(r, adjoint(by_r)), matmul(adjoint(by_q), q));
  const Value below = tril(m, -1);
  const Value symmetric = below + adjoint(below) + mul(m, identity(g, m->shape.back(), m->dtype));
  const Value right = by_q + matmul(q, symmetric);
  g.set(0, adjoint(solve(r, adjoint(right))));
}

/// 1 / (b_j - a_i) off the diagonal, 0 on it.
Value gaps(const Call& call, const Value& values) {
  const Value difference = sub(expand_dims(values, -2), expand_dims(values, -1));
  const Value diagonal = identity(call, values->shape.back(), values->dtype);
  return sub(reciprocal(difference + diagonal), diagonal);
}

void eigh_gradient(GradCall& g) {
  const Value& vectors = g.out(1);
  Value inner;
  if (g.grad(1)) inner = mul(matmul(adjoint(vectors), g.grad(1)), gaps(g, g.out(0)));
  if (g.grad(0)) {
    const Value on_diagonal = mul(expand_dims(g.grad(0), -1), identity(g, vectors->shape.back(), vectors->dtype));
    inner = inner ? inner + on_diagonal : on_diagonal;
  }
  if (inner) g.set(0, matmul(matmul(vectors, inner), adjoint(vectors)));
}

/// For distinct singular values and reduced factors.
void svd_gradient(GradCall& g) {
  const Value& s = g.out(0);
  const Value& u = g.out(1);
  const Value& v = g.out(2);
  if (g.flag(1) && (g.grad(1) || g.grad(2))) {
    value_error("svd: the gradient is not defined with full_matrices; use full_matrices=False");
  }
  Value inner;
  const Value row = expand_dims(s, -2);
  const Value column = expand_dims(s, -1);
  const Value closeness = gaps(g, mul(s, s));
  auto part = [&](const Value& factor, const Value& gradient) {
    const Value product = matmul(swapaxes(factor, -1, -2), gradient);
    return mul(sub(product, swapaxes(product, -1, -2)), closeness);
  };
  if (g.grad(0)) inner = mul(expand_dims(g.grad(0), -1), identity(g, s->shape.back(), s->dtype));
  if (g.grad(1)) {
    const Value more = mul(part(u, g.grad(1)), row);
    inner = inner ? inner + more : more;
  }
  if (g.grad(2)) {
    const Value more = mul(part(v, g.grad(2)), column);
    inner = inner ? inner + more : more;
  }
  if (!inner) return;
  Value result = matmul(matmul(u, inner), swapaxes(v, -1, -2));
  // What of the gradient lies outside the spaces of the factors.
  if (g.grad(1)) {
    const Value scaled = mul(g.grad(1), reciprocal(row));
    const Value outside = sub(scaled, matmul(u, matmul(swapaxes(u, -1, -2), scaled)));
    result = result + matmul(outside, swapaxes(v, -1, -2));
  }
  if (g.grad(2)) {
    const Value scaled = mul(g.grad(2), reciprocal(row));
    const Value outside = sub(scaled, matmul(v, matmul(swapaxes(v, -1, -2), scaled)));
    result = result + matmul(u, swapaxes(outside, -1, -2));
  }
  g.set(0, result);
}

void require_real(const Arguments& args) {
  infer::require_dtype(args, 0, is_float(args.in(0).dtype), "float16, bfloat16, float32 and float64");
}

void infer_singular_values(const Arguments& args, Results& results) {
  require_matrices(args, 0);
  require_real(args);
  const ValueImpl& x = args.in(0);
  const Dim rows = x.shape[x.shape.size() - 2];
  const Dim columns = x.shape.back();
  const Dim few = min(rows, columns);
  Shape values(x.shape.begin(), x.shape.end() - 2);
  values.push_back(few);
  results.add(x.dtype, values);
  results.add(x.dtype, with_last(x.shape, rows, args.flag(1) ? rows : few));
  results.add(x.dtype, with_last(x.shape, columns, args.flag(1) ? columns : few));
}

}  // namespace

DYAD_OP("cholesky(input: Tensor, upper: bool=False) -> Tensor")
    .doc("The lower triangular L with L @ L^H = input, for a positive definite matrix or a stack; `upper` gives L^H.")
    .function("cholesky(input_x:input, upper=False)")
    .method()
    .primitive("Cholesky(upper=False)(input_x:input)")
    .infer([](const Arguments& args, Results& results) { results.add(require_square(args, 0), args.in(0).shape); })
    .grad(cholesky_gradient)
    .numpy("ref.cholesky(input, upper)")
    .samples("call(V([[4, 1, 0.5], [1, 3, 0.2], [0.5, 0.2, 2]], 'float32'))",
             "call(V([[[4, 1], [1, 3]], [[2, 0.5], [0.5, 1]]], 'float64'), True)")
    .rejects("ops.cholesky(-ones(1, 1))", "ValueError", "cholesky: the matrix is not positive definite");

DYAD_OP("cholesky_inverse(input: Tensor, upper: bool=False) -> Tensor")
    .doc("The inverse of the matrix that has the given Cholesky factor.")
    .function("cholesky_inverse(input_x:input, upper=False)")
    .method()
    .primitive("CholeskyInverse(upper=False)(x:input)")
    .compose([](const Call& call) {
      require_square(call, 0);
      const Value& l = call.value(0);
      return inverse(call.flag(1) ? matmul(adjoint(l), l) : matmul(l, adjoint(l)));
    })
    .numpy("np.linalg.inv(input.T @ input if upper else input @ input.T)")
    .samples("call(V([[2, 0, 0], [1, 3, 0], [0.5, 0.2, 2]], 'float32'))")
    .rejects("ops.cholesky_inverse(ones(2, 3))", "ValueError", "cholesky_inverse: input has shape (2, 3)");

DYAD_OP("cholesky_solve(input: Tensor, input2: Tensor, upper: bool=False) -> Tensor")
    .doc("X with A @ X = input, where A has the Cholesky factor input2.")
    .method()
    .primitive("CholeskySolve(upper=False)(x1:input, x2:input2)")
    .compose([](const Call& call) {
      require_square(call, 1);
      const Value& l = call.value(1);
      const Value first = solve(call.flag(2) ? adjoint(l) : l, call[0]);
      return solve(call.flag(2) ? l : adjoint(l), first);
    })
    .numpy("np.linalg.solve(input2.T @ input2 if upper else input2 @ input2.T, input)")
    .samples("call(T(3, 2), V([[2, 0, 0], [1, 3, 0], [0.5, 0.2, 2]], 'float32'))")
    .rejects("ops.cholesky_solve(ones(2, 3), ones(2, 3))", "ValueError", "cholesky_solve: input has shape (2, 3)");

DYAD_OP("qr(input: Tensor, mode: str='reduced') -> (Tensor, Tensor)")
    .doc("Q with orthonormal columns and upper triangular R with Q @ R = input; mode 'complete' makes Q square.")
    .infer([](const Arguments& args, Results& results) {
      const DType dtype = require_matrices(args, 0);
      const Shape& shape = args.in(0).shape;
      if (args.text(1) != "reduced" && args.text(1) != "complete") {
        value_error(args.op(), ": mode is '", args.text(1), "'; accepted are 'reduced' and 'complete'");
      }
      const Dim rows = shape[shape.size() - 2];
      const Dim kept = args.text(1) == "complete" ? rows : min(rows, shape.back());
      results.add(dtype, with_last(shape, rows, kept));
      results.add(dtype, with_last(shape, kept, shape.back()));
    })
    .grad(qr_gradient)
    .numpy("tuple(np.linalg.qr(input, mode))")
    .samples("call(T(4, 3), dtypes='float32+float64')", "call(T(2, 3, 3))")
    .rejects("ops.qr(ones(2, 2), 'full')", "ValueError", "qr: mode is 'full'");

DYAD_OP("qr_some(input: Tensor, some: bool=True) -> (Tensor, Tensor)")
    .doc("QR decomposition; without `some`, Q is square.")
    .hidden()
    .method("qr(some=True)")
    .compose([](const Call& call) -> ValueList {
      static const OpName qr{"qr"};
      return qr.all(call[0], call.flag(1) ? "reduced" : "complete");
    })
    .numpy("tuple(np.linalg.qr(input, 'reduced' if some else 'complete'))")
    .samples("call(T(4, 3))")
    .rejects("ones(3).qr()", "ValueError", "qr: input has shape (3,)");

DYAD_OP("eigh(A: Tensor) -> (Tensor, Tensor)")
    .doc("Eigenvalues in ascending order and eigenvectors of a symmetric matrix, of which the lower triangle counts.")
    .infer([](const Arguments& args, Results& results) {
      require_square(args, 0);
      require_real(args);
      const ValueImpl& x = args.in(0);
      results.add(x.dtype, Shape(x.shape.begin(), x.shape.end() - 1));
      results.add(x.dtype, x.shape);
    })
    .grad(eigh_gradient)
    .numpy("ref.eigh(A)")
    .samples("call(V([[4, 1, 0.5], [1, 3, 0.2], [0.5, 0.2, 2]], 'float64'))")
    .rejects("ops.eigh(ones(2, 3))", "ValueError", "eigh: input has shape (2, 3)");

DYAD_OP("singular_values(input: Tensor, full_matrices: bool) -> (Tensor, Tensor, Tensor)")
    .doc("Singular values in descending order and the left and right singular vectors as columns.")
    .hidden()
    .infer(infer_singular_values)
    .grad(svd_gradient)
    .numpy("ref.svd(input, full_matrices)")
    .samples("call(V([[3, 1], [0.5, 2], [1, 1]], 'float64'), False)", "call(V([[3, 1, 2], [0.5, 2, 1]], 'float64'), False)")
    .rejects("ops.svd(ones(3))", "ValueError", "input has shape (3,)");

DYAD_OP("svd(input: Tensor, full_matrices: bool=False, compute_uv: bool=True) -> Tensor or Tensors")
    .doc("Singular values s and, with `compute_uv`, u and v with input = u @ diag(s) @ v^T.")
    .method()
    .primitive("Svd(full_matrices=False, compute_uv=True)(input)")
    .compose([](const Call& call) {
      ValueList found = singular_values.all(call[0], call[1]);
      if (!call.flag(2)) found.resize(1);
      return found;
    })
    .numpy("ref.svd(input, full_matrices) if compute_uv else np.linalg.svd(input, compute_uv=False)")
    .samples("call(T(4, 3), compute_uv=False)", "call(V([[3, 1], [0.5, 2], [1, 1]], 'float64'))")
    .rejects("ops.svd(ints(2, 2))", "TypeError", "the dtype Int64 is not accepted");

DYAD_OP("pinv(x: Tensor, atol: float?=None, rtol: float?=None, hermitian: bool=False) -> Tensor")
    .doc("The pseudo-inverse; singular values up to max(atol, rtol * largest) count as zero.")
    .function("pinv(x, *, atol=None, rtol=None, hermitian=False)")
    .compose([](const Call& call) {
      const ValueList found = singular_values.all(call[0], false);
      const Value& s = found[0];
      const Shape& shape = call.in(0).shape;
      const Dim longest = max(shape[shape.size() - 2], shape.back());
      const double unit = s->dtype == DType::kFloat64 ? 2.220446049250313e-16 : 1.1920929e-07;
      const double relative = call.has(2) ? call.real(2) : call.has(1) ? 0.0 : unit * static_cast<double>(longest.value());
      const Value limit = mul(amax(s, Dims{-1}, true), relative);
      const Value kept = call.has(1) ? mul(greater(s, limit), greater(s, call.real(1))) : greater(s, limit);
      const Value inverted = where(kept, reciprocal(where(kept, s, 1.0)), 0.0);
      return matmul(mul(found[2], expand_dims(inverted, -2)), swapaxes(found[1], -1, -2));
    })
    .numpy("np.linalg.pinv(x)")
    .samples("call(T(4, 3))", "call(T(2, 3, 4))")
    .rejects("ops.pinv(ones(3))", "ValueError", "input has shape (3,)");

DYAD_OP("lstsq(input: Tensor, A: Tensor) -> Tensor")
    .doc("The X of least length that brings input @ X closest to A.")
    .method()
    .compose([](const Call& call) {
      const Value& b = call.value(1);
      if (call.in(0).rank() != 2 || b->rank() < 1 || b->rank() > 2) {
        value_error(call.op(), ": input has shape ", call.in(0).shape, " and A ", b->shape, "; need matrices");
      }
      return matmul(pinv(call[0]), b->rank() == 1 ? expand_dims(b, -1) : b);
    })
    .numpy("np.linalg.lstsq(input, A, rcond=None)[0]")
    .samples("call(T(5, 3), T(5, 2))")
    .rejects("ops.lstsq(ones(3), ones(3))", "ValueError", "lstsq: input has shape (3,)");

}  // namespace dyad
