#include "ops/elementwise/gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(where);

constexpr std::string_view kTruth = "the result is a truth value";

/// The condition broadcasts with the others but does not decide the dtype.
void infer_where(const Arguments& args, Results& results) {
  const Arg chosen[] = {args[1], args[2]};
  results.add(operand_dtype(Arguments(args.op(), chosen), 2), operand_shape(args, 3));
}

}  // namespace

DYAD_OP("logical_not(input: Tensor) -> Tensor")
    .doc("Logical NOT, element by element. A number is true unless it is 0.")
    .formula("logical_not(x) = ¬x")
    .see("ops.logical_and, ops.bitwise_not")
    .method()
    .primitive("LogicalNot")
    .alias("x", "input")
    .mint("logical_not")
    .numpy_function("logical_not")
    .elementwise(infer::logical)
    .no_grad(kTruth)
    .numpy("np.logical_not(input)")
    .samples("unary()")
    .rejects("ops.logical_not('a')", "TypeError", "logical_not: input is 'a'");

DYAD_OP("logical_and(input: Operand, other: Operand) -> Tensor")
    .doc("Logical AND, element by element. A number is true unless it is 0.")
    .formula("out[i] = input[i] ∧ other[i]")
    .see("ops.logical_or, ops.bitwise_and")
    .method()
    .primitive("LogicalAnd")
    .alias("x", "input")
    .alias("y", "other")
    .mint("logical_and")
    .numpy_function("logical_and")
    .elementwise(infer::logical)
    .no_grad(kTruth)
    .numpy("np.logical_and(input, other)")
    .samples("binary()")
    .rejects("ops.logical_and(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("logical_or(input: Operand, other: Operand) -> Tensor")
    .doc("Logical OR, element by element. A number is true unless it is 0.")
    .formula("out[i] = input[i] ∨ other[i]")
    .see("ops.logical_and, ops.bitwise_or")
    .method()
    .primitive("LogicalOr")
    .alias("x", "input")
    .alias("y", "other")
    .mint("logical_or")
    .numpy_function("logical_or")
    .elementwise(infer::logical)
    .no_grad(kTruth)
    .numpy("np.logical_or(input, other)")
    .samples("binary()")
    .rejects("ops.logical_or(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("logical_xor(input: Operand, other: Operand) -> Tensor")
    .doc("Logical XOR, element by element: true where exactly one of two elements is true.")
    .formula("out[i] = input[i] ⊻ other[i]")
    .see("ops.logical_or, ops.bitwise_xor")
    .method()
    .primitive("LogicalXor")
    .alias("x", "input")
    .alias("y", "other")
    .mint("logical_xor")
    .numpy_function("logical_xor")
    .elementwise(infer::logical)
    .no_grad(kTruth)
    .numpy("np.logical_xor(input, other)")
    .samples("binary()")
    .rejects("ops.logical_xor(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("where(condition: Operand, input: Operand, other: Operand) -> Tensor")
    .doc("Selection by a condition: `input` where it is true, `other` elsewhere. All three broadcast.")
    .formula("out[i] = input[i]", "condition[i]")
    .formula("out[i] = other[i]", "otherwise")
    .arg("condition", "bools.")
    .arg("input", "broadcasts with the others.")
    .arg("other", "broadcasts with the others.")
    .returns("Tensor with the broadcast shape and the promoted dtype of `input` and `other`.")
    .see("ops.masked_fill, ops.select")
    .function("select")
    .primitive("Select")
    .alias("cond", "condition")
    .alias("x", "input")
    .alias("y", "other")
    .mint("where")
    .elementwise(infer_where)
    .grad([](GradCall& g) {
      set_operand(g, 1, [&] { return where(g[0], g.grad(), false); });
      set_operand(g, 2, [&] { return where(g[0], false, g.grad()); });
    })
    .numpy("np.where(condition, input, other)")
    .samples("call(B(2, 3), T(2, 3), T(3), dtypes='all')", "call(B(3), T(2, 1), 1)", "call(B(), T(), T())",
             "call(B(0, 3), T(0, 3), 2.0)", "call(strided(B(4, 6)), strided(T(4, 6)), T(4, 1))",
             "call(I(2, 3, lo=0, hi=2), 1.0, T(3))")
    .rejects("ops.where(ones(2), ones(3), 1)", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("where_self(input: Tensor, condition: Operand, other: Operand) -> Tensor")
    .doc("Selection by a condition: the tensor's elements where it is true, `other` elsewhere.")
    .formula("out[i] = input[i]", "condition[i]")
    .formula("out[i] = other[i]", "otherwise")
    .arg("input", "any dtype and shape.")
    .arg("condition", "bools, broadcasts with the others.")
    .arg("other", "broadcasts with the others.")
    .returns("Tensor with the broadcast shape and the promoted dtype of `input` and `other`.")
    .see("ops.where")
    .hidden()
    .method("where(condition, y:other)")
    .further_method("select(condition, y:other)")
    .compose([](const Call& c) { return where(c.builder(), c[1], c[0], c[2]); })
    .numpy("np.where(condition, input, other)")
    .samples("call(T(2, 3), B(2, 3), T(3), dtypes='all')")
    .rejects("ones(3).where(ones(2), 1)", "ValueError", "shapes (2,) and (3,) do not broadcast");

}  // namespace dyad
