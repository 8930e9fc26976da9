#include "ops/elementwise/gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(equal, less, less_equal, logical_and, logical_or, isfinite, isnan, sub, abs, mul, add, cast);

constexpr std::string_view kTruth = "the result is a truth value";

/// Bool result of the first operand's shape.
void infer_test(const Arguments& args, Results& results) { results.add(DType::kBool, args.in(0).shape); }

}  // namespace

DYAD_OP("less(input: Operand, other: Operand) -> Tensor")
    .doc("Comparison input < other, element by element.")
    .formula("out[i] = input[i] < other[i]")
    .see("ops.less_equal, ops.greater")
    .function("lt")
    .function("tensor_lt")
    .method()
    .method("lt")
    .primitive("Less")
    .alias("x", "input")
    .alias("y", "other")
    .mint("less", "lt")
    .numpy_function("less")
    .elementwise(infer::comparison)
    .no_grad(kTruth)
    .numpy("np.less(input, other)")
    .samples("binary(exclude='complex')")
    .rejects("ops.less(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("less_equal(input: Operand, other: Operand) -> Tensor")
    .doc("Comparison input ≤ other, element by element.")
    .formula("out[i] = input[i] ≤ other[i]")
    .see("ops.less, ops.greater_equal")
    .function("le")
    .function("tensor_le")
    .method()
    .method("le")
    .primitive("LessEqual")
    .alias("x", "input")
    .alias("y", "other")
    .mint("le", "less_equal")
    .numpy_function("less_equal")
    .elementwise(infer::comparison)
    .no_grad(kTruth)
    .numpy("np.less_equal(input, other)")
    .samples("binary(exclude='complex')")
    .rejects("ops.less_equal(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("greater(input: Operand, other: Operand) -> Tensor")
    .doc("Comparison input > other, element by element.")
    .formula("out[i] = input[i] > other[i]")
    .see("ops.greater_equal, ops.less")
    .function("gt")
    .function("tensor_gt")
    .method()
    .method("gt")
    .primitive("Greater")
    .alias("x", "input")
    .alias("y", "other")
    .mint("greater", "gt")
    .numpy_function("greater")
    .elementwise(infer::comparison)
    .no_grad(kTruth)
    .numpy("np.greater(input, other)")
    .samples("binary(exclude='complex')")
    .rejects("ops.greater(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("greater_equal(input: Operand, other: Operand) -> Tensor")
    .doc("Comparison input ≥ other, element by element.")
    .formula("out[i] = input[i] ≥ other[i]")
    .see("ops.greater, ops.less_equal")
    .function("ge")
    .function("tensor_ge")
    .method()
    .method("ge")
    .primitive("GreaterEqual")
    .alias("x", "input")
    .alias("y", "other")
    .mint("greater_equal")
    .numpy_function("greater_equal")
    .elementwise(infer::comparison)
    .no_grad(kTruth)
    .numpy("np.greater_equal(input, other)")
    .samples("binary(exclude='complex')")
    .rejects("ops.greater_equal(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("equal(input: Operand, other: Operand) -> Tensor")
    .doc("Comparison input = other, element by element. NaN equals nothing, not even itself.")
    .formula("out[i] = input[i] = other[i]")
    .see("ops.not_equal, ops.isclose")
    .function("eq")
    .method()
    .method("eq")
    .primitive("Equal")
    .alias("x", "input")
    .alias("y", "other")
    .mint("eq")
    .numpy_function("equal")
    .elementwise(infer::comparison)
    .no_grad(kTruth)
    .numpy("np.equal(input, other)")
    .samples("binary()")
    .rejects("ops.equal(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("not_equal(input: Operand, other: Operand) -> Tensor")
    .doc("Comparison input ≠ other, element by element. NaN differs from everything, itself included.")
    .formula("out[i] = input[i] ≠ other[i]")
    .see("ops.equal")
    .function("ne")
    .method()
    .method("ne")
    .primitive("NotEqual")
    .alias("x", "input")
    .alias("y", "other")
    .mint("ne", "not_equal")
    .numpy_function("not_equal")
    .elementwise(infer::comparison)
    .no_grad(kTruth)
    .numpy("np.not_equal(input, other)")
    .samples("binary()")
    .rejects("ops.not_equal(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("approximate_equal(x: Operand, y: Operand, tolerance: float=1e-05) -> Tensor")
    .doc("Approximate equality, |x − y| < tolerance, element by element.")
    .formula("out[i] = |x[i] − y[i]| < tolerance")
    .arg("x", "real numbers, any shape.")
    .arg("y", "broadcasts with `x`.")
    .arg("tolerance", "the largest difference, itself excluded.")
    .returns("Tensor of bools with the broadcast shape.")
    .see("ops.isclose")
    .method("approximate_equal(other:y, tolerance=1e-05)")
    .primitive("ApproximateEqual(tolerance=1e-05)(x, y)")
    .compose([](const Call& c) { return less(abs(sub(c.builder(), c[0], c[1])), c[2]); })
    .no_grad(kTruth)
    .numpy("np.abs(np.subtract(x, y)) < tolerance")
    .samples("call(T(2, 3), T(3), 0.5)", "call(T(2, 3), 1.0, 1.5, dtypes='float')")
    .rejects("ops.approximate_equal(ones(2), ones(3))", "ValueError",
             "shapes (2,) and (3,) do not broadcast");

DYAD_OP(
    "isclose(input: Operand, other: Operand, rtol: float=1e-05, atol: float=1e-08, equal_nan: bool=False) -> "
    "Tensor")
    .doc(
        "Closeness, |input − other| ≤ atol + rtol · |other|, element by element. Equal infinities are close.")
    .formula("out[i] = |input[i] − other[i]| ≤ atol + rtol · |other[i]| or input[i] = other[i]")
    .arg("input", "any dtype and shape.")
    .arg("other", "broadcasts with `input`.")
    .arg("rtol", "relative tolerance.")
    .arg("atol", "absolute tolerance.")
    .arg("equal_nan", "whether two NaNs are close.")
    .returns("Tensor of bools with the broadcast shape.")
    .see("ops.equal")
    .method()
    .primitive("IsClose(rtol=1e-05, atol=1e-08, equal_nan=False)(input, other)")
    .alias("x1", "input")
    .alias("x2", "other")
    .mint("isclose")
    .compose([](const Call& c) {
      // Distances of integers may be wider than they are; bools have none.
      const DType common = operand_dtype(c, 2);
      const bool whole = is_bool(common) || is_int(common);
      auto operand = [&](size_t i) {
        return whole && c.is_value(i) ? Arg(cast(c.value(i), DType::kFloat64)) : c[i];
      };
      const Arg a = operand(0);
      const Arg b = operand(1);
      Builder& builder = c.builder();
      const Value distance = abs(sub(builder, a, b));
      const Value size = abs(add(builder, b, 0));
      const Value near = less_equal(distance, add(mul(size, c[2]), c[3]));
      const Value finite = isfinite(distance);
      Value close = logical_or(equal(builder, a, b), logical_and(finite, logical_and(isfinite(size), near)));
      if (c.flag(4)) close = logical_or(close, logical_and(isnan(add(builder, a, 0)), isnan(size)));
      return close;
    })
    .no_grad(kTruth)
    .numpy("np.isclose(input, other, rtol, atol, equal_nan)")
    .samples("call(T(2, 3), T(3), 0.5, 0.1, dtypes='float')",
             "call(V([0, 2**31 - 1, -5], 'int32'), V([-(2**31), -2, -5], 'int32'))",
             "call(V([np.nan, np.inf, 1.0], 'float32'), V([np.nan, np.inf, -np.inf], 'float32'))",
             "call(V([np.nan, np.inf, 1.0], 'float32'), V([np.nan, np.inf, 1.0], 'float32'), equal_nan=True)")
    .rejects("ops.isclose(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("isnan(input: Tensor) -> Tensor")
    .alias("tensor", "input")
    .doc("NaN test, element by element.")
    .formula("isnan(x) = (x ≠ x)")
    .see("ops.isinf, ops.isfinite")
    .method()
    .primitive("IsNan")
    .alias("x", "input")
    .mint("isnan")
    .numpy_function("isnan")
    .elementwise(infer_test)
    .no_grad(kTruth)
    .numpy("np.isnan(input)")
    .samples("unary()", "call(V([np.nan, np.inf, 1.0], 'float32'))")
    .rejects("ops.isnan('a')", "TypeError", "isnan: input is 'a'");

DYAD_OP("isinf(input: Tensor) -> Tensor")
    .doc("Infinity test, element by element.")
    .formula("isinf(x) = (|x| = ∞)")
    .see("ops.isnan, ops.isfinite")
    .method()
    .primitive("IsInf")
    .alias("x", "input")
    .mint("isinf")
    .numpy_function("isinf")
    .elementwise(infer_test)
    .no_grad(kTruth)
    .numpy("np.isinf(input)")
    .samples("unary()", "call(V([np.nan, np.inf, -np.inf], 'float32'))")
    .rejects("ops.isinf('a')", "TypeError", "isinf: input is 'a'");

DYAD_OP("isfinite(input: Tensor) -> Tensor")
    .doc("Finiteness test, element by element: neither infinite nor NaN.")
    .formula("isfinite(x) = (|x| < ∞)")
    .see("ops.isnan, ops.isinf")
    .method()
    .primitive("IsFinite")
    .alias("x", "input")
    .mint("isfinite")
    .numpy_function("isfinite")
    .elementwise(infer_test)
    .no_grad(kTruth)
    .numpy("np.isfinite(input)")
    .samples("unary()", "call(V([np.nan, np.inf, 1.0], 'float32'))")
    .rejects("ops.isfinite('a')", "TypeError", "isfinite: input is 'a'");

DYAD_OP("isposinf(input: Tensor) -> Tensor")
    .doc("Test for plus infinity, element by element.")
    .formula("isposinf(x) = (x = +∞)")
    .see("ops.isinf, ops.isneginf")
    .method()
    .elementwise(infer_test)
    .no_grad(kTruth)
    .numpy("np.isposinf(input)")
    .samples("unary(only='real')", "call(V([np.nan, np.inf, -np.inf], 'float32'))")
    .rejects("ops.isposinf('a')", "TypeError", "isposinf: input is 'a'");

DYAD_OP("isneginf(input: Tensor) -> Tensor")
    .doc("Test for minus infinity, element by element.")
    .formula("isneginf(x) = (x = −∞)")
    .see("ops.isinf, ops.isposinf")
    .method()
    .mint("isneginf")
    .elementwise(infer_test)
    .no_grad(kTruth)
    .numpy("np.isneginf(input)")
    .samples("unary(only='real')", "call(V([np.nan, np.inf, -np.inf], 'float32'))")
    .rejects("ops.isneginf('a')", "TypeError", "isneginf: input is 'a'");

DYAD_OP("isreal(input: Tensor) -> Tensor")
    .doc("Test for real numbers, element by element: true where the imaginary part is 0.")
    .formula("isreal(x) = (Im(x) = 0)")
    .see("ops.real")
    .method()
    .elementwise(infer_test)
    .no_grad(kTruth)
    .numpy("np.isreal(input)")
    .samples("unary()")
    .rejects("ops.isreal('a')", "TypeError", "isreal: input is 'a'");

DYAD_OP("signbit(input: Tensor) -> Tensor")
    .doc("Sign bit, element by element: true for negative numbers and for −0.0.")
    .formula("signbit(x) = sign bit of x")
    .see("ops.sign")
    .method()
    .alias("x", "input")
    .numpy_function("signbit")
    .elementwise(infer_test)
    .no_grad(kTruth)
    .numpy("np.asarray(input) < 0")
    .samples("unary(only='real')")
    .rejects("ops.signbit('a')", "TypeError", "signbit: input is 'a'");

}  // namespace dyad
