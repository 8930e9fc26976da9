#include "base/error.h"
#include "ops/elementwise/gradient.h"
#include "ops/infer.h"
#include "types/agreement.h"

namespace dyad {

namespace {

DYAD_USE(add, mul, div, add_scaled, squared_difference);

/// dtype and shape of the first two operands; the number that scales the second does not take part.
void infer_scaled(const Arguments& args, Results& results) {
  const DType dtype = operand_dtype(args, 2);
  const Scalar scale = args.number(2);
  if (scale.kind() == Scalar::Kind::kFloat && !is_float(dtype) && !is_complex(dtype)) {
    type_error(args.op(), ": alpha is ", scale, " but the result has dtype ", dtype, "; it must be an int");
  }
  results.add(dtype, operand_shape(args, 2));
}

}  // namespace

DYAD_OP("add(input: Operand, other: Operand) -> Tensor")
    .doc("Sum, input + other, element by element.")
    .formula("out[i] = input[i] + other[i]")
    .see("ops.sub, ops.addn")
    .function("tensor_add")
    .primitive("Add")
    .primitive("TensorAdd")
    .primitive("AddV2")
    .alias("x", "input")
    .alias("y", "other")
    .mint("add")
    .numpy_function("add")
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] { return g.grad(); });
      set_operand(g, 1, [&] { return g.grad(); });
    })
    .numpy("np.add(input, other)")
    .samples("binary()")
    .rejects("ops.add(ones(2, 3), ones(4))", "ValueError", "add: shapes (2, 3) and (4,) do not broadcast")
    .rejects("ops.add(ones(2), 'a')", "TypeError", "add: other is 'a'");

DYAD_OP("sub(input: Operand, other: Operand) -> Tensor")
    .doc("Difference, input − other, element by element.")
    .formula("out[i] = input[i] − other[i]")
    .see("ops.add")
    .function("tensor_sub")
    .primitive("Sub")
    .alias("x", "input")
    .alias("y", "other")
    .mint("sub")
    .further_function("subtract(input, other)")
    .numpy_function("subtract")
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] { return g.grad(); });
      set_operand(g, 1, [&] { return -g.grad(); });
    })
    .numpy("np.subtract(input, other)")
    .samples("binary(exclude='bool')")
    .rejects("ops.sub(ones(2, 3), ones(4))", "ValueError", "sub: shapes (2, 3) and (4,) do not broadcast")
    .rejects("ops.sub(Tensor([True]), Tensor([True]))", "TypeError", "sub: not defined for Bool");

DYAD_OP("add_scaled(input: Tensor, other: Operand, alpha: Number=1) -> Tensor")
    .doc("Scaled sum, input + alpha · other, element by element.")
    .formula("out[i] = input[i] + alpha · other[i]")
    .arg("input", "any dtype and shape.")
    .arg("other", "broadcasts with `input`.")
    .arg("alpha", "factor of `other`, converted to the dtype of the result.")
    .see("ops.add")
    .hidden()
    .method("add(other, *, alpha=1)")
    .inplace("add_")
    .alias("y", "other")
    .elementwise(infer_scaled)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] { return g.grad(); });
      set_operand(g, 1, [&] { return g.grad() * conjugated(g[2]); });
    })
    .numpy("input + np.asarray(alpha).astype(np.result_type(input)) * other")
    .samples("call(T(2, 3), T(3), 2, dtypes='numeric')", "call(T(3), T(3))", "call(T(2, 1), 3.0, -1)")
    .rejects("ones(2, 3).add(ones(4))", "ValueError", "shapes (2, 3) and (4,) do not broadcast")
    .rejects("ints(2).add(ints(2), alpha=0.5)", "TypeError", "alpha is 0.5 but the result has dtype Int64");

DYAD_OP("sub_scaled(input: Tensor, other: Operand, alpha: Number=1) -> Tensor")
    .doc("Scaled difference, input − alpha · other, element by element.")
    .formula("out[i] = input[i] − alpha · other[i]")
    .arg("input", "any dtype and shape.")
    .arg("other", "broadcasts with `input`.")
    .arg("alpha", "factor of `other`, converted to the dtype of the result.")
    .see("ops.sub")
    .hidden()
    .function("subtract(input, other, *, alpha=1)")
    .method("sub(other, *, alpha=1)")
    .method("subtract(other, *, alpha=1)")
    .inplace("sub_")
    .alias("y", "other")
    .elementwise(infer_scaled)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] { return g.grad(); });
      set_operand(g, 1, [&] { return -(g.grad() * conjugated(g[2])); });
    })
    .numpy("input - np.asarray(alpha).astype(np.result_type(input)) * other")
    .samples("call(T(2, 3), T(3), 2, dtypes='numeric')", "call(T(3), T(3))", "call(T(2, 1), 3.0, -1)")
    .rejects("ops.subtract(ones(2, 3), ones(4))", "ValueError", "shapes (2, 3) and (4,) do not broadcast");

DYAD_OP("mul(input: Operand, other: Operand) -> Tensor")
    .doc("Product, input · other, element by element.")
    .formula("out[i] = input[i] · other[i]")
    .see("ops.div, ops.matmul")
    .function("multiply")
    .function("tensor_mul")
    .method()
    .method("multiply(other)")
    .inplace("mul_")
    .primitive("Mul")
    .alias("x", "input")
    .alias("y", "other")
    .alias("value", "other")
    .mint("mul")
    .numpy_function("multiply")
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] { return g.grad() * conjugated(g[1]); });
      set_operand(g, 1, [&] { return g.grad() * conjugated(g[0]); });
    })
    .numpy("np.multiply(input, other)")
    .samples("binary()")
    .rejects("ops.mul(ones(2, 3), ones(4))", "ValueError", "mul: shapes (2, 3) and (4,) do not broadcast");

DYAD_OP("neg(input: Tensor) -> Tensor")
    .doc("Negation, −x, element by element.")
    .formula("neg(x) = −x")
    .see("ops.abs")
    .function("negative")
    .method()
    .method("negative")
    .inplace("neg_")
    .primitive("Neg")
    .alias("x", "input")
    .mint("neg", "negative")
    .numpy_function("negative")
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) { g.set(0, -g.grad()); })
    .numpy("np.negative(input)")
    .samples("unary(exclude='bool')")
    .rejects("ops.neg('a')", "TypeError", "neg: input is 'a'");

DYAD_OP("square(input: Tensor) -> Tensor")
    .doc("Square, x², element by element.")
    .formula("square(x) = x · x")
    .see("ops.sqrt, ops.pow")
    .method()
    .inplace("square_")
    .primitive("Square")
    .alias("x", "input")
    .mint("square")
    .numpy_function("square")
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) { g.set(0, g.grad() * conjugated(g.value(0) + g.value(0))); })
    .numpy("np.square(input)")
    .samples("unary(exclude='bool')")
    .rejects("ops.square(Tensor([True]))", "TypeError", "square: not defined for Bool");

DYAD_OP("squared_difference(input: Operand, other: Operand) -> Tensor")
    .doc("Squared difference, (input − other)², element by element.")
    .formula("out[i] = (input[i] − other[i])²")
    .primitive("SquaredDifference")
    .alias("x", "input")
    .alias("y", "other")
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) {
      auto slope = [&](size_t from, size_t to) {
        const Value difference = g.is_value(from) ? g.value(from) - g[to] : -(g.value(to) - g[from]);
        return g.grad() * conjugated(mul(difference, 2));
      };
      set_operand(g, 0, [&] { return slope(0, 1); });
      set_operand(g, 1, [&] { return slope(1, 0); });
    })
    .numpy("np.square(np.subtract(input, other))")
    .samples("binary(exclude='bool')")
    .rejects("ops.squared_difference(ones(2), ones(3))", "ValueError",
             "shapes (2,) and (3,) do not broadcast");

DYAD_OP("lerp(input: Operand, end: Operand, weight: Operand) -> Tensor")
    .doc(
        "Linear interpolation between `input` and `end`, element by element. `weight` outside [0, 1] "
        "extrapolates.")
    .formula("out[i] = input[i] + weight[i] · (end[i] − input[i])")
    .arg("weight", "0 returns `input`, 1 returns `end`; floats, broadcasts with the others.")
    .method()
    .inplace("lerp_")
    .primitive("Lerp")
    .alias("start", "input")
    .mint("lerp")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      set_operand(
          g, 0, [&] { return g.is_value(2) ? g.grad() * (1.0 - g.value(2)) : g.grad() * (1.0 - g.real(2)); });
      set_operand(g, 1, [&] { return g.grad() * g[2]; });
      set_operand(g, 2, [&] {
        const Value difference = g.is_value(1) ? g.value(1) - g[0] : -(g.value(0) - g[1]);
        return g.grad() * difference;
      });
    })
    .numpy("input + weight * (end - np.asarray(input))")
    .samples("ternary(only='float')", "call(T(2, 3), T(2, 3), 0.25, dtypes='float')")
    .rejects("ops.lerp(ones(2), ones(3), 0.5)", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("addcmul(input: Tensor, tensor1: Operand, tensor2: Operand, value: Operand=1) -> Tensor")
    .doc("Sum with a scaled product, input + value · tensor1 · tensor2, element by element.")
    .formula("out[i] = input[i] + value · tensor1[i] · tensor2[i]")
    .arg("input", "any numeric dtype, any shape.")
    .arg("tensor1", "broadcasts with the others.")
    .arg("tensor2", "broadcasts with the others.")
    .arg("value", "factor of the product.")
    .returns("Tensor with the broadcast shape and the promoted dtype.")
    .see("ops.addcdiv")
    .method()
    .inplace("addcmul_")
    .primitive("Addcmul")
    .alias("x1", "tensor1")
    .alias("x2", "tensor2")
    .compose_wide([](const Call& c) {
      const Value product = mul(c.builder(), c[1], c[2]);
      const Scalar* scale = c[3].get<Scalar>();
      return scale ? add_scaled(c.value(0), product, *scale) : add(c.value(0), mul(product, c[3]));
    })
    .autocast(Autocast::kWidest)
    .numpy("input + value * tensor1 * tensor2")
    .samples("call(T(2, 3), T(3), T(2, 1), 2, dtypes='numeric')", "call(T(3), T(3), T(3))")
    .rejects("ops.addcmul(ones(2), ones(3), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("addcdiv(input: Tensor, tensor1: Operand, tensor2: Operand, value: Operand=1) -> Tensor")
    .doc("Sum with a scaled quotient, input + value · tensor1 / tensor2, element by element.")
    .formula("out[i] = input[i] + value · tensor1[i] / tensor2[i]")
    .arg("input", "any numeric dtype, any shape.")
    .arg("tensor1", "broadcasts with the others.")
    .arg("tensor2", "broadcasts with the others.")
    .arg("value", "factor of the quotient.")
    .returns("Tensor with the broadcast shape and the promoted dtype.")
    .see("ops.addcmul")
    .method()
    .inplace("addcdiv_")
    .primitive("Addcdiv")
    .mint("addcdiv")
    .compose_wide([](const Call& c) { return add(c.value(0), mul(div(c.builder(), c[1], c[2]), c[3])); })
    .autocast(Autocast::kWidest)
    .numpy("input + value * tensor1 / tensor2")
    .samples("call(T(2, 3), T(3), T(2, 1, lo=1, hi=3), 2.5, dtypes='float')")
    .rejects("ops.addcdiv(ones(2), ones(3), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("addn(x: Tensors) -> Tensor")
    .doc("Sum of tensors of one shape, element by element.")
    .formula("out[i] = x[0][i] + x[1][i] + …")
    .arg("x", "at least one tensor, all of one shape.")
    .returns("Tensor with the shape of the given ones and their promoted dtype.")
    .see("ops.add")
    .function("accumulate_n")
    .function("add_n")
    .primitive("AddN")
    .primitive("AccumulateNV2")
    .alias("inputs", "x")
    .compose_wide([](const Call& c) {
      const ValueList& terms = c.values(0);
      if (terms.empty()) value_error(c.op(), ": there are no tensors; it takes at least one");
      Value sum = terms[0];
      for (size_t i = 0; i < terms.size(); ++i) {
        if (!terms[i]) type_error(c.op(), ": x[", i, "] is None; it must be a Tensor");
        if (!same_shape(terms[i]->shape, terms[0]->shape)) {
          value_error(c.op(), ": x[", i, "] has shape ", terms[i]->shape, " but x[0] has ", terms[0]->shape,
                      "; all must have one shape");
        }
        if (i > 0) sum = add(sum, terms[i]);
      }
      return sum;
    })
    .autocast(Autocast::kWidest)
    .numpy("sum(x)")
    .samples("call([T(2, 3), T(2, 3), T(2, 3)], dtypes='numeric')", "call([T(2)])")
    .rejects("ops.addn([ones(2), ones(3)])", "ValueError", "x[1] has shape (3,) but x[0] has (2,)")
    .rejects("ops.addn([])", "ValueError", "there are no tensors");

}  // namespace dyad
