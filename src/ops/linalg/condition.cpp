#include <cmath>

#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/cost.h"
#include "ops/infer.h"
#include "ops/linalg/matrices.h"

namespace dyad {

namespace {

DYAD_USE(amax, amin, expand_dims, inverse, matmul, matrix_norm, singular_values, svd_factors, swapaxes);

}  // namespace

DYAD_OP("singular_values(input: Tensor) -> Tensor")
    .doc("Singular values of each matrix in descending order.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      infer::require_matrices(args, 0, "input");
      Shape shape = infer::stack_shape(args.in(0));
      shape.push_back(min(infer::rows(args.in(0)), infer::columns(args.in(0))));
      results.add(args.in(0).dtype, shape);
    })
    .grad([](GradCall& g) {
      const ValueList parts = svd_factors.all(g.value(0));
      g.set(0, matmul(parts[1] * expand_dims(g.grad(), -2), swapaxes(parts[2], -2, -1)));
    })
    .batch(batch::leading)
    .cost([](const Arguments& args, cost::Values) { return 3 * cost::cubes(args); })
    .numpy("np.linalg.svd(input, compute_uv=False)")
    .samples("call(T(3, 3))", "call(T(2, 4, 3))", "call(T(3, 5))")
    .rejects("dyad._core.named_op('singular_values')(ones(3))", "ValueError",
             "it must have at least 2 dimensions");

DYAD_OP("cond(A: Tensor, p: Order?=None) -> Tensor")
    .doc("Condition number of each matrix in the norm of order p.")
    .formula("cond(A) = ‖A‖ₚ · ‖A⁻¹‖ₚ")
    .formula("cond(A) = σ_max / σ_min", "p=None or 2")
    .formula("cond(A) = σ_min / σ_max", "p=-2")
    .arg("A", "floats or complex numbers of shape (*batch, m, n); square unless p is None, 2 or −2.")
    .arg("p", "order of `ops.matrix_norm`.")
    .returns("Tensor of real numbers and shape `batch`.")
    .see("ops.matrix_norm, ops.inverse")
    .compose_wide([](const Call& call) -> Value {
      const Scalar* order = call[1].get<Scalar>();
      if (!call.has(1) || (order && std::abs(order->to_double()) == 2)) {
        const Value values = singular_values(call.value(0));
        if (values->shape.back() == Dim(0)) {
          value_error(call.op(), ": A has shape ", call.in(0).shape,
                      "; it must have at least one row and column");
        }
        const Value largest = amax(values, Dims{-1});
        const Value smallest = amin(values, Dims{-1});
        return order && order->to_double() < 0 ? smallest / largest : largest / smallest;
      }
      infer::require_square(call, 0, "A");
      return matrix_norm(call.value(0), call[1]) * matrix_norm(inverse(call.value(0)), call[1]);
    })
    .numpy("np.linalg.cond(A, p)")
    .samples("call(T(3, 3))", "call(T(2, 4, 3))", "call(T(3, 3), 1)", "call(T(2, 3, 3), 'fro')",
             "call(T(3, 3), -2)")
    .rejects("ops.cond(ones(3))", "ValueError", "it must have at least 2 dimensions")
    .rejects("ops.cond(ones(2, 3), 1)", "ValueError", "its last two dimensions must be equal");

}  // namespace dyad
