#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(sum_to)

/// The gradient of a broadcast operand: summed back to its shape. Numbers take none.
void set_broadcast(GradCall& g, size_t i, const Value& gradient) {
  if (g.is_value(i)) g.set(i, sum_to(gradient, g.value(i)));
}

}  // namespace

DYAD_OP("add(input: Operand, other: Operand) -> Tensor")
    .doc("Sum, element by element, of two tensors or numbers that broadcast.")
    .method()
    .inplace("add_")
    .primitive("Add")
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) {
      set_broadcast(g, 0, g.grad());
      set_broadcast(g, 1, g.grad());
    })
    .numpy("np.add(input, other)")
    .samples("binary()")
    .rejects("ops.add(ones(2, 3), ones(4))", "ValueError", "add: shapes (2, 3) and (4,) do not broadcast")
    .rejects("ops.add(ones(2), 'a')", "TypeError", "add: other is 'a'");

DYAD_OP("sub(input: Operand, other: Operand) -> Tensor")
    .doc("Difference, element by element, of two tensors or numbers that broadcast.")
    .function("sub")
    .function("subtract")
    .method()
    .method("subtract")
    .inplace("sub_")
    .primitive("Sub")
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) {
      set_broadcast(g, 0, g.grad());
      set_broadcast(g, 1, -g.grad());
    })
    .numpy("np.subtract(input, other)")
    .samples("binary(exclude='bool')")
    .rejects("ops.sub(ones(2, 3), ones(4))", "ValueError", "sub: shapes (2, 3) and (4,) do not broadcast");

DYAD_OP("mul(input: Operand, other: Operand) -> Tensor")
    .doc("Product, element by element, of two tensors or numbers that broadcast.")
    .function("multiply")
    .method()
    .method("multiply")
    .inplace("mul_")
    .primitive("Mul")
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) {
      set_broadcast(g, 0, g.grad() * g[1]);
      set_broadcast(g, 1, g.grad() * g[0]);
    })
    .numpy("np.multiply(input, other)")
    .samples("binary()")
    .rejects("ops.mul(ones(2, 3), ones(4))", "ValueError", "mul: shapes (2, 3) and (4,) do not broadcast");

DYAD_OP("neg(input: Tensor) -> Tensor")
    .doc("Each element with its sign reversed.")
    .function("negative")
    .method()
    .method("negative")
    .inplace("neg_")
    .primitive("Neg")
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) { g.set(0, -g.grad()); })
    .numpy("np.negative(input)")
    .samples("unary(exclude='bool')")
    .rejects("ops.neg('a')", "TypeError", "neg: input is 'a'");

}  // namespace dyad
