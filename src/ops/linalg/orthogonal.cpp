#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/cost.h"
#include "ops/infer.h"
#include "ops/linalg/matrices.h"

namespace dyad {

namespace {

DYAD_USE(concat, matmul, qr_factors, triangle, triangular_solve, zeros_like);

void infer_qr(const Arguments& args, Results& results) {
  infer::require_factorable(args, 0, "input");
  const ValueImpl& a = args.in(0);
  const Dim kept = args.flag(1) ? infer::rows(a) : min(infer::rows(a), infer::columns(a));
  results.add(a.dtype, infer::stack_of(infer::stack_shape(a), infer::rows(a), kept));
  results.add(a.dtype, infer::stack_of(infer::stack_shape(a), kept, infer::columns(a)));
}

/// The entries on and below the diagonal, mirrored above it.
Value mirrored(const Value& a) { return triangle(a) + transposed(triangle(a, -1)); }

Value rows_before(const Value& a, Dim to) { return transposed(columns_between(transposed(a), 0, to)); }

/// Gradient of a matrix with at least as many rows as columns by those of its reduced factors, either of
/// which may be empty.
Value grad_tall_qr(const Value& q, const Value& r, const Value& dq, const Value& dr) {
  Value product;
  if (dr) product = matmul(r, transposed(dr));
  if (dq) product = product ? product - matmul(transposed(dq), q) : -matmul(transposed(dq), q);
  const Value inner = matmul(q, mirrored(product));
  return transposed(triangular_solve(r, transposed(dq ? dq + inner : inner), false));
}

void grad_qr(GradCall& g) {
  if (is_complex(g.in(0).dtype)) {
    raise(
        ErrorKind::kUnsupported,
        cat(g.op(), ": the factors of a complex matrix have no derivative here; accepted are real matrices"));
  }
  const Value& a = g.value(0);
  const Dim m = infer::rows(*a);
  const Dim n = infer::columns(*a);
  Value q = g.out(0);
  Value r = g.out(1);
  Value dq = g.grad(0);
  Value dr = g.grad(1);
  if (m.value() >= n.value()) {
    if (g.flag(1) && m.value() > n.value()) {
      if (dq) {
        value_error(g.op(), ": the last columns of a square q of a matrix of shape ", a->shape,
                    " may turn freely, so q has no derivative; mode 'reduced' leaves them out");
      }
      q = columns_between(q, 0, n);
      r = rows_before(r, n);
      if (dr) dr = rows_before(dr, n);
    }
    g.set(0, grad_tall_qr(q, r, dq, dr));
    return;
  }
  // The left part of a wide matrix has the same q; the right part is q times the rest of r.
  const Value square = columns_between(r, 0, m);
  if (!dr) {
    const Value left = grad_tall_qr(q, square, dq, dr);
    g.set(0, concat(ValueList{left, zeros_like(columns_between(a, m, n))}, -1));
    return;
  }
  const Value rest = columns_between(dr, m, n);
  const Value turned = matmul(columns_between(a, m, n), transposed(rest));
  const Value left = grad_tall_qr(q, square, dq ? dq + turned : turned, columns_between(dr, 0, m));
  g.set(0, concat(ValueList{left, matmul(q, rest)}, -1));
}

}  // namespace

DYAD_OP("qr_factors(input: Tensor, full: bool=False) -> (Tensor, Tensor)")
    .hidden()
    .doc("QR decomposition of each matrix: Q has orthonormal columns, R is upper triangular.")
    .formula("input = Q @ R")
    .arg("input", "floats of shape (*batch, m, n).")
    .arg("full", "whether Q is square, (m, m).")
    .returns("Tuple of Q and R.")
    .see("ops.qr")
    .primitive("Qr(full_matrices:full=False)(x:input)")
    .infer(infer_qr)
    .grad(grad_qr)
    .batch(batch::leading)
    .cost([](const Arguments& args, cost::Values) { return 2 * cost::cubes(args); })
    .numpy("ref.qr(input, full)")
    .samples("call(T(3, 3))", "call(T(2, 4, 3))", "call(T(3, 5))", "call(T(4, 2), True)")
    .rejects("ops.Qr()(ones(3))", "ValueError", "it must have at least 2 dimensions");

DYAD_OP("qr_by_flag(input: Tensor, some: bool=True) -> (Tensor, Tensor)")
    .doc("QR decomposition of each matrix: Q has orthonormal columns, R is upper triangular.")
    .formula("input = Q @ R")
    .arg("input", "floats of shape (*batch, m, n).")
    .arg("some", "whether Q has min(m, n) columns; if not, it is square.")
    .returns("Tuple of Q and R.")
    .see("ops.qr")
    .hidden()
    .further_method("qr(some=True)")
    .compose([](const Call& call) { return qr_factors.all(call[0], !call.flag(1)); })
    .numpy("ref.qr(input, not some)")
    .samples("call(T(4, 3))", "call(T(4, 3), False)")
    .rejects("ones(3).qr(True)", "ValueError", "it must have at least 2 dimensions");

DYAD_OP("qr(input: Tensor, mode: str='reduced') -> (Tensor, Tensor)")
    .doc("QR decomposition of each matrix: Q has orthonormal columns, R is upper triangular.")
    .formula("input = Q @ R")
    .arg("input", "floats of shape (*batch, m, n).")
    .arg("mode", "'reduced' (Q has min(m, n) columns) or 'complete' (Q is square).")
    .returns("Tuple of Q and R.")
    .see("ops.geqrf, ops.svd")
    .method("qr(mode='reduced')")
    .compose([](const Call& call) {
      const std::string& mode = call.text(1);
      if (mode != "reduced" && mode != "complete") {
        value_error(call.op(), ": mode is '", mode, "'; accepted are 'reduced' and 'complete'");
      }
      return qr_factors.all(call[0], mode == "complete");
    })
    .numpy("ref.qr(input, mode == 'complete')")
    .samples("call(T(4, 3))", "call(T(4, 3), 'complete')")
    .rejects("ops.qr(ones(2, 2), 'thin')", "ValueError",
             "qr: mode is 'thin'; accepted are 'reduced' and 'complete'");

}  // namespace dyad
