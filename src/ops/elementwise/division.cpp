#include "base/error.h"
#include "ops/elementwise/gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(reciprocal, cast, div, mul, floor_divide, truncate_div, div_no_nan, equal, where, gcd, abs);

constexpr std::string_view kStep = "the result is constant between its steps";

}  // namespace

DYAD_OP("div(input: Operand, other: Operand) -> Tensor")
    .doc("Quotient, input / other, element by element. Integers are divided as float32.")
    .formula("out[i] = input[i] / other[i]")
    .see("ops.floor_divide")
    .hidden()
    .function("true_divide(dividend:input, divisor:other)")
    .function("tensor_div(x:input, y:other)")
    .method("true_divide(other)")
    .primitive("Div")
    .primitive("RealDiv")
    .alias("x", "input")
    .alias("y", "other")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] { return g.grad() / conjugated(g[1]); });
      set_operand(g, 1, [&] { return -(g.grad() * conjugated(g.out() / g[1])); });
    })
    .numpy("np.true_divide(input, other)")
    .samples("binary(only='float+complex')", "call(T(2, 3), T(3, lo=1, hi=4), dtypes='int')")
    .rejects("ops.div(ones(2, 3), ones(4))", "ValueError", "shapes (2, 3) and (4,) do not broadcast");

DYAD_OP("div_rounded(input: Operand, other: Operand, rounding_mode: str?=None) -> Tensor")
    .doc("Quotient, input / other, element by element, with optional rounding.")
    .formula("out[i] = input[i] / other[i]", "rounding_mode=None")
    .formula("out[i] = ⌊input[i] / other[i]⌋", "rounding_mode='floor'")
    .formula("out[i] = trunc(input[i] / other[i])", "rounding_mode='trunc'")
    .arg("input", "any numeric dtype, any shape.")
    .arg("other", "broadcasts with `input`.")
    .arg("rounding_mode", "None, 'floor' (towards −∞) or 'trunc' (towards 0).")
    .returns("Tensor with the broadcast shape; without rounding integers give float32.")
    .see("ops.floor_divide")
    .hidden()
    .function("div(input, other, *, rounding_mode=None)")
    .function("divide(input, other, *, rounding_mode=None)")
    .method("div(other, *, rounding_mode=None)")
    .method("divide(other, *, rounding_mode=None)")
    .inplace("div_")
    .alias("x", "input")
    .alias("y", "other")
    .alias("value", "other")
    .mint("div", "divide")
    .numpy_function("divide", "true_divide")
    .infer([](const Arguments& args, Results& results) {
      if (!args.has(2)) return infer::floating(args, results);
      if (args.text(2) != "floor" && args.text(2) != "trunc") {
        value_error("div: rounding_mode is '", args.text(2), "'; it must be None, 'floor' or 'trunc'");
      }
      infer::arithmetic(args, results);
    })
    .compose([](const Call& c) {
      if (!c.has(2)) return div(c.builder(), c[0], c[1]);
      if (c.text(2) == "floor") return floor_divide(c.builder(), c[0], c[1]);
      if (c.text(2) == "trunc") return truncate_div(c.builder(), c[0], c[1]);
      value_error("div: rounding_mode is '", c.text(2), "'; it must be None, 'floor' or 'trunc'");
    })
    .numpy(
        "np.true_divide(input, other) if rounding_mode is None else np.floor_divide(input, other) if "
        "rounding_mode == 'floor' else np.trunc(np.true_divide(input, other))")
    .samples("call(T(2, 3), T(3, lo=1, hi=4), None, dtypes='real')",
             "call(T(2, 3), T(3, lo=1, hi=4), 'floor', dtypes='real')",
             "call(T(2, 3), T(3, lo=1, hi=4), 'trunc', dtypes='float')")
    .rejects("ops.div(ones(2), 2, rounding_mode='up')", "ValueError", "rounding_mode is 'up'");

DYAD_OP("floor_divide(input: Operand, other: Operand) -> Tensor")
    .doc("Floor division, ⌊input / other⌋, as Python's `//`. Integers divided by 0 give 0.")
    .formula("out[i] = ⌊input[i] / other[i]⌋")
    .see("ops.div, ops.remainder")
    .function("floor_div(x:input, y:other)")
    .function("floordiv(x:input, y:other)")
    .function("tensor_floordiv")
    .method()
    .inplace("floor_divide_")
    .primitive("FloorDiv")
    .alias("x", "input")
    .alias("y", "other")
    .mint("floor_divide")
    .numpy_function("floor_divide")
    .elementwise(infer::arithmetic)
    .no_grad(kStep)
    .numpy("np.floor_divide(input, other)")
    .samples("binary(only='real')")
    .rejects("ops.floor_divide(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("truncate_div(input: Operand, other: Operand) -> Tensor")
    .doc("Truncated division, trunc(input / other). Integers divided by 0 give 0.")
    .formula("out[i] = trunc(input[i] / other[i])")
    .see("ops.floor_divide")
    .primitive("TruncateDiv")
    .alias("x", "input")
    .alias("y", "other")
    .elementwise(infer::arithmetic)
    .no_grad(kStep)
    .numpy("np.trunc(np.true_divide(input, other)).astype(np.result_type(input, other))")
    .samples("binary(only='float')", "call(T(2, 3), T(3, lo=1, hi=4), dtypes='int')")
    .rejects("ops.truncate_div(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("remainder(input: Operand, other: Operand) -> Tensor")
    .doc("Remainder of floor division, as Python's `%`: it has the sign of the divisor.")
    .formula("out[i] = input[i] − ⌊input[i] / other[i]⌋ · other[i]")
    .see("ops.fmod, ops.floor_divide")
    .function("floor_mod(x:input, y:other)")
    .function("floormod(x:input, y:other)")
    .function("tensor_mod(x:input, y:other)")
    .method()
    .inplace("remainder_")
    .primitive("FloorMod")
    .alias("x", "input")
    .alias("y", "other")
    .alias("divisor", "other")
    .mint("remainder")
    .numpy_function("mod", "remainder")
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] { return g.grad(); });
      set_operand(g, 1, [&] { return -(g.grad() * floor_divide(g.builder(), g[0], g[1])); });
    })
    .numpy("np.remainder(input, other)")
    .samples("binary(lo=1, hi=5, only='float')", "binary(only='int')", "call(T(2, 3), -1.7, dtypes='float')")
    .rejects("ops.remainder(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("fmod(input: Operand, other: Operand) -> Tensor")
    .doc("Remainder of truncated division, as C's fmod: it has the sign of the dividend.")
    .formula("out[i] = input[i] − trunc(input[i] / other[i]) · other[i]")
    .see("ops.remainder")
    .function("truncate_mod(x:input, y:other)")
    .method()
    .inplace("fmod_")
    .primitive("Mod")
    .primitive("TruncateMod")
    .alias("x", "input")
    .alias("y", "other")
    .mint("fmod")
    .numpy_function("fmod")
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] { return g.grad(); });
      set_operand(g, 1, [&] { return -(g.grad() * truncate_div(g.builder(), g[0], g[1])); });
    })
    .numpy("np.fmod(input, other)")
    .samples("binary(lo=1, hi=5, only='float')", "binary(only='int')", "call(T(2, 3), 1.7, dtypes='float')")
    .rejects("ops.fmod(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("reciprocal(input: Tensor) -> Tensor")
    .doc("Reciprocal, 1/x, element by element.")
    .formula("reciprocal(x) = 1 / x")
    .see("ops.div, ops.rsqrt")
    .function("inv")
    .method()
    .method("inv")
    .inplace("reciprocal_")
    .primitive("Reciprocal")
    .alias("x", "input")
    .mint("reciprocal")
    .numpy_function("reciprocal")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, -(g.grad() * conjugated(g.out() * g.out()))); })
    .autocast(Autocast::kFloat32)
    .numpy("1 / np.asarray(input)")
    .samples("unary(lo=1, hi=3, only='float+complex')", "call(T(4, lo=1, hi=5), dtypes='int')")
    .rejects("ops.reciprocal('a')", "TypeError", "reciprocal: input is 'a'");

DYAD_OP("inverse_of_kind(x: Tensor) -> Tensor")
    .doc("Reciprocal, 1/x, in the dtype of x. For integers it is truncated: 0 except for 1 and −1.")
    .formula("out[i] = 1 / x[i]", "floats")
    .formula("out[i] = trunc(1 / x[i])", "integers")
    .arg("x", "integers or floats, any shape.")
    .returns("Tensor with the shape and dtype of `x`.")
    .see("ops.reciprocal")
    .hidden()
    .primitive("Inv()(x)")
    .compose([](const Call& call) {
      const Value& x = call.value(0);
      if (!is_int(x->dtype)) return reciprocal(x);
      return cast(equal(x, 1), x->dtype) - cast(equal(x, -1), x->dtype);
    })
    .numpy("np.reciprocal(x)")
    .samples("call(T(2, 3, lo=1, hi=3))", "call(V([1, -1, 3, -4], 'int32'))")
    .rejects("ops.Inv()('a')", "TypeError", "x is 'a'");

DYAD_OP("div_no_nan(input: Operand, other: Operand) -> Tensor")
    .doc("Safe quotient, input / other, 0 where other is 0.")
    .formula("out[i] = input[i] / other[i]", "other[i] ≠ 0")
    .formula("out[i] = 0", "other[i] = 0")
    .see("ops.div, ops.xdivy")
    .primitive("DivNoNan")
    .alias("x", "input")
    .alias("y", "other")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] { return div_no_nan(g.grad(), conjugated(g[1])); });
      set_operand(g, 1, [&] { return -(g.grad() * conjugated(div_no_nan(g.out(), g[1]))); });
    })
    .numpy(
        "np.where(np.asarray(other) == 0, 0, np.true_divide(input, np.where(np.asarray(other) == 0, 1, "
        "other)))")
    .samples("binary(only='float')", "call(T(3), V([0.0, 2.0, 0.0], 'float32'))")
    .rejects("ops.div_no_nan(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("xdivy(x: Operand, y: Operand) -> Tensor")
    .doc("Quotient x / y that is 0 where x is 0, even if y is 0.")
    .formula("out[i] = x[i] / y[i]", "x[i] ≠ 0")
    .formula("out[i] = 0", "x[i] = 0")
    .arg("x", "numbers, any shape.")
    .arg("y", "broadcasts with `x`.")
    .returns("Tensor with the broadcast shape; float32 for integers.")
    .see("ops.div_no_nan, ops.xlogy")
    .method()
    .primitive("Xdivy")
    .compose([](const Call& c) {
      const Value nothing = equal(c.builder(), c[0], 0);
      return where(nothing, 0, div(c.builder(), c[0], where(nothing, 1, c[1])));
    })
    .numpy("np.where(np.asarray(x) == 0, 0, np.true_divide(x, y))")
    .samples("call(T(2, 3), T(3, lo=1, hi=4), dtypes='float')")
    .rejects("ops.xdivy(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("gcd(input: Operand, other: Operand) -> Tensor")
    .doc("Greatest common divisor of integers, element by element; never negative.")
    .formula("out[i] = gcd(|input[i]|, |other[i]|)")
    .arg("input", "integers, any shape.")
    .arg("other", "integers that broadcast with `input`.")
    .see("ops.lcm")
    .method()
    .primitive("Gcd")
    .alias("x1", "input")
    .alias("x2", "other")
    .mint("gcd")
    .numpy_function("gcd")
    .elementwise(infer::integral)
    .no_grad("integer result")
    .numpy("np.gcd(input, other)")
    .samples("call(T(4, 5, lo=-20, hi=20), T(5, lo=-20, hi=20), dtypes='int')")
    .rejects("ops.gcd(ones(2), ones(2))", "TypeError", "gcd: operands meet in Float32");

DYAD_OP("lcm(input: Operand, other: Operand) -> Tensor")
    .doc("Least common multiple of integers, element by element; never negative.")
    .formula("out[i] = |input[i] · other[i]| / gcd(input[i], other[i])")
    .arg("input", "integers, any shape.")
    .arg("other", "integers that broadcast with `input`.")
    .returns("Tensor with the broadcast shape and the promoted dtype.")
    .see("ops.gcd")
    .method()
    .primitive("Lcm")
    .alias("x1", "input")
    .alias("x2", "other")
    .numpy_function("lcm")
    .compose([](const Call& c) {
      return abs(mul(truncate_div(c.builder(), c[0], gcd(c.builder(), c[0], c[1])), c[1]));
    })
    .numpy("np.lcm(input, other)")
    .samples("call(T(4, 5, lo=0, hi=10), T(5, lo=0, hi=10), dtypes='int')")
    .rejects("ops.lcm(ones(2), ones(2))", "TypeError", "lcm: operands meet in Float32");

DYAD_OP("mul_no_nan(x: Operand, y: Operand) -> Tensor")
    .doc("Safe product, x · y, 0 where y is 0, even if x is NaN or infinite.")
    .formula("out[i] = x[i] · y[i]", "y[i] ≠ 0")
    .formula("out[i] = 0", "y[i] = 0")
    .arg("x", "any numeric dtype, any shape.")
    .arg("y", "broadcasts with `x`.")
    .see("ops.mul")
    .hidden()
    .primitive("MulNoNan()(x, y)")
    .compose([](const Call& call) {
      const Value product = mul(call.builder(), call[0], call[1]);
      const Value absent = equal(call.builder(), call[1], 0);
      return where(absent, cast(call.builder(), 0, product->dtype), product);
    })
    .numpy("ref.mul_no_nan(x, y)")
    .samples("binary(only='real')",
             "call(V([1.0, np.inf, np.nan], 'float32'), V([2.0, 0.0, 0.0], 'float32'))")
    .rejects("ops.MulNoNan()(ones(2), ones(3))", "ValueError", "do not broadcast");

}  // namespace dyad
