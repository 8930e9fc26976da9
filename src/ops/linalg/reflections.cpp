#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/cost.h"
#include "ops/infer.h"
#include "ops/linalg/matrices.h"

// Orthogonal matrices as LAPACK stores them: as the vectors and factors of Householder reflections.

namespace dyad {

namespace {

DYAD_USE(eye, expand_dims, matmul, mul, narrow, triangle);

bool is_above(Dim a, Dim b) { return a.known() && b.known() && a.value() > b.value(); }

/// The product of the reflections whose vectors are below the diagonal of argument 0 and whose factors are
/// argument 1, as many columns as argument 0 has.
Value product(const Call& call) {
  const Value& a = call.value(0);
  const Value& factors = call.value(1);
  infer::require_matrices(call, 0, "input");
  const Dim m = infer::rows(*a);
  const Dim n = infer::columns(*a);
  const Dim count = factors->rank() > 0 ? factors->shape.back() : Dim(0);
  if (factors->rank() != a->rank() - 1 || is_above(count, n) || is_above(n, m)) {
    value_error(call.op(), ": the matrices have shape ", a->shape, " and the factors ", factors->shape,
                "; need at least as many rows as columns, and a factor for each of the first columns");
  }
  const Value one = eye(call.builder(), m.value(), n.value(), a->dtype);
  const Value vectors = triangle(a, -1) + one;
  Value result = one;
  for (int64_t k = count.value() - 1; k >= 0; --k) {
    const Value v = columns_between(vectors, k, k + 1);
    const Value factor = expand_dims(narrow(factors, -1, k, 1), -1);
    result = result - matmul(mul(v, factor), matmul(transposed(v), result));
  }
  return result;
}

/// The product q c, or q^T c, of the reflections in arguments 0 and 1 and a matrix, one reflection after the
/// other.
Value reflected(const Call& call, Value c, bool turned) {
  const Value& a = call.value(0);
  const Value& factors = call.value(1);
  const Dim m = infer::rows(*a);
  const Dim n = infer::columns(*a);
  const Dim count = factors->rank() > 0 ? factors->shape.back() : Dim(0);
  if (factors->rank() != a->rank() - 1 || is_above(count, n) || is_above(count, m) || infer::rows(*c) != m) {
    value_error(call.op(), ": the matrices have shape ", a->shape, ", the factors ", factors->shape,
                " and what they are multiplied with ", call.in(2).shape,
                "; need a factor for each of the first columns, and a side that fits");
  }
  const Value vectors = triangle(a, -1) + eye(call.builder(), m.value(), n.value(), a->dtype);
  for (int64_t i = 0; i < count.value(); ++i) {
    const int64_t k = turned ? i : count.value() - 1 - i;
    const Value v = columns_between(vectors, k, k + 1);
    c = c - matmul(mul(v, expand_dims(narrow(factors, -1, k, 1), -1)), matmul(transposed(v), c));
  }
  return c;
}

}  // namespace

DYAD_OP("geqrf(input: Tensor) -> (Tensor, Tensor)")
    .doc(
        "QR decomposition of each matrix in LAPACK's form: R on and above the diagonal, below it the vectors "
        "vᵢ of Householder reflections. `ops.orgqr` computes Q from them.")
    .formula("input = Q @ R, Q = H₀ H₁ …, Hᵢ = I − tauᵢ · vᵢ vᵢᵀ")
    .arg("input", "floats of shape (*batch, m, n).")
    .returns("Tuple of the factors, of the shape of `input`, and tau, of shape (*batch, min(m, n)).")
    .see("ops.qr, ops.orgqr, ops.ormqr")
    .method()
    .primitive("Geqrf()(x:input)")
    .infer([](const Arguments& args, Results& results) {
      infer::require_matrices(args, 0, "input");
      const ValueImpl& a = args.in(0);
      results.add(a.dtype, a.shape);
      Shape factors = infer::stack_shape(a);
      factors.push_back(min(infer::rows(a), infer::columns(a)));
      results.add(a.dtype, factors);
    })
    .missing_grad("ops.qr gives the factors themselves, which can be differentiated")
    .batch(batch::leading)
    .cost([](const Arguments& args, cost::Values) { return 2 * cost::cubes(args); })
    .numpy("ref.geqrf(input)")
    .samples("call(T(3, 3))", "call(T(2, 4, 3))", "call(T(3, 5))")
    .rejects("ops.geqrf(ones(3))", "ValueError", "it must have at least 2 dimensions");

DYAD_OP("orgqr(input: Tensor, input2: Tensor) -> Tensor")
    .doc(
        "First columns of the product of Householder reflections, for each matrix. The vectors vᵢ are below "
        "the diagonal of `input`, as `ops.geqrf` returns them.")
    .formula("out = first n columns of H₀ H₁ …, Hᵢ = I − input2ᵢ · vᵢ vᵢᵀ")
    .arg("input", "floats of shape (*batch, m, n), m ≥ n.")
    .arg("input2", "factors of the reflections, of shape (*batch, k), k ≤ n.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.geqrf, ops.qr")
    .method("orgqr(input2)")
    .primitive("Orgqr()(x:input, tau:input2)")
    .compose_wide([](const Call& call) { return product(call); })
    .numpy("ref.orgqr(input, input2)")
    .samples("call(T(3, 3), T(3))", "call(T(2, 4, 3), T(2, 2))")
    .rejects("ops.orgqr(ones(2, 3), ones(2))", "ValueError", "need at least as many rows as columns");

DYAD_OP("ormqr(input: Tensor, tau: Tensor, other: Tensor, left: bool=True, transpose: bool=False) -> Tensor")
    .doc("Product of each matrix with the Q of Householder reflections that `ops.geqrf` returns.")
    .formula("out = Q @ other", "left=True")
    .formula("out = other @ Q", "left=False")
    .formula("Qᵀ takes the place of Q", "transpose=True")
    .arg("input", "vectors of the reflections below the diagonal, floats of shape (*batch, m, k).")
    .arg("tau", "factors of the reflections.")
    .arg("other", "the matrices that are multiplied.")
    .arg("left", "whether Q is on the left.")
    .arg("transpose", "whether Q is transposed.")
    .returns("Tensor with the shape of `other`.")
    .see("ops.geqrf, ops.orgqr")
    .method("ormqr(input2:tau, input3:other, left=True, transpose=False)")
    .primitive("Ormqr(left=True, transpose=False)(x:input, tau, other)")
    .compose_wide([](const Call& call) {
      infer::require_matrices(call, 0, "input");
      infer::require_matrices(call, 2, "other");
      if (call.flag(3)) return reflected(call, call.value(2), call.flag(4));
      return transposed(reflected(call, transposed(call.value(2)), !call.flag(4)));
    })
    .numpy("ref.ormqr(input, tau, other, left, transpose)")
    .samples("call(T(3, 3), T(3), T(3, 2))", "call(T(2, 4, 2), T(2, 2), T(2, 3, 4), False)",
             "call(T(3, 2), T(2), T(3, 3), True, True)")
    .rejects("ops.ormqr(ones(3, 3), ones(3), ones(2, 2))", "ValueError", "a side that fits");

}  // namespace dyad
