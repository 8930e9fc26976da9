#include "base/error.h"
#include "ops/elementwise/gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(abs, sign, mul, div_no_nan, equal, greater, greater_equal, less, less_equal, isnan, logical_not,
         logical_or, where, cast, copysign);

constexpr std::string_view kStep = "the result is constant between its steps";

void infer_abs(const Arguments& args, Results& results) {
  results.add(real_dtype(args.in(0).dtype), args.in(0).shape);
}

/// The gradient goes to the operand that was chosen; where both are equal, half of it to each. Where neither
/// wins, one is NaN and so is the result: all of it goes to both.
void choose_gradient(GradCall& g, const Value& first_wins, const Value& second_wins) {
  const Value both = equal(g.builder(), g[0], g[1]);
  const Value half = cast(g.grad() * 0.5, g.grad()->dtype);
  set_operand(g, 0, [&] { return where(both, half, where(second_wins, false, g.grad())); });
  set_operand(g, 1, [&] { return where(both, half, where(first_wins, false, g.grad())); });
}

void choose_gradient(GradCall& g, const OpName& better) {
  choose_gradient(g, better(g.builder(), g[0], g[1]), better(g.builder(), g[1], g[0]));
}

/// The same for operators in which a number wins over NaN.
void choose_number_gradient(GradCall& g, const OpName& better) {
  const Value first = better(g.builder(), g[0], g[1]);
  const Value first_wins = g.is_value(1) ? logical_or(first, isnan(g.value(1))) : first;
  choose_gradient(g, first_wins, logical_not(first_wins));
}

}  // namespace

DYAD_OP("abs(input: Tensor) -> Tensor")
    .doc("Absolute value, element by element; the modulus of complex numbers.")
    .formula("abs(x) = |x|")
    .see("ops.sign, ops.square")
    .function("absolute")
    .method()
    .method("absolute")
    .inplace("abs_")
    .primitive("Abs")
    .primitive("ComplexAbs")
    .alias("x", "input")
    .mint("abs")
    .numpy_function("abs", "absolute")
    .elementwise(infer_abs)
    .grad([](GradCall& g) {
      if (!is_complex(g.in(0).dtype)) return g.set(0, g.grad() * sign(g.value(0)));
      g.set(0, div_no_nan(mul(g.value(0), g.grad()), g.out()));
    })
    .numpy("np.abs(input)")
    .samples("unary()")
    .rejects("ops.abs('a')", "TypeError", "abs: input is 'a'");

DYAD_OP("sign(input: Tensor) -> Tensor")
    .doc("Sign of real numbers: −1, 0 or 1. NaN stays NaN.")
    .formula("sign(x) = −1", "x < 0")
    .formula("sign(x) = 0", "x = 0")
    .formula("sign(x) = 1", "x > 0")
    .see("ops.sgn, ops.signbit")
    .hidden()
    .inplace("sign_")
    .elementwise(infer::arithmetic)
    .no_grad(kStep)
    .numpy("np.sign(input)")
    .samples("unary(only='real')")
    .rejects("dyad._core.named_op('sign')(Tensor([1j]))", "TypeError", "sign: not defined for Complex128");

DYAD_OP("sgn(input: Tensor) -> Tensor")
    .doc("Sign: −1, 0 or 1 for real numbers, x / |x| for complex ones (0 at 0). NaN stays NaN.")
    .formula("sgn(x) = x / |x|", "x ≠ 0")
    .formula("sgn(x) = 0", "x = 0")
    .arg("input", "any numeric dtype, any shape.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.sign, ops.abs")
    .function("sgn")
    .function("sign")
    .method("sgn")
    .method("sign")
    .primitive("Sign")
    .alias("x", "input")
    .mint("sign")
    .numpy_function("sign")
    .compose([](const Call& c) {
      return is_complex(c.in(0).dtype) ? div_no_nan(c.value(0), abs(c.value(0))) : sign(c.value(0));
    })
    .numpy("np.sign(input) if not np.iscomplexobj(input) else input / np.where(input == 0, 1, np.abs(input))")
    .samples("unary(only='real')", "call(T(2, 3), dtypes='complex')")
    .rejects("ops.sgn('a')", "TypeError", "sgn: input is 'a'");

DYAD_OP("maximum(input: Operand, other: Operand) -> Tensor")
    .doc("Maximum of two elements; NaN if either is NaN.")
    .formula("out[i] = max(input[i], other[i])")
    .see("ops.fmax, ops.minimum, ops.max")
    .method()
    .primitive("Maximum")
    .alias("x", "input")
    .alias("y", "other")
    .mint("maximum")
    .numpy_function("maximum")
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) { choose_gradient(g, greater); })
    .numpy("np.maximum(input, other)")
    .samples("binary(exclude='complex')")
    .rejects("ops.maximum(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("minimum(input: Operand, other: Operand) -> Tensor")
    .doc("Minimum of two elements; NaN if either is NaN.")
    .formula("out[i] = min(input[i], other[i])")
    .see("ops.fmin, ops.maximum, ops.min")
    .method()
    .primitive("Minimum")
    .alias("x", "input")
    .alias("y", "other")
    .mint("minimum")
    .numpy_function("minimum")
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) { choose_gradient(g, less); })
    .numpy("np.minimum(input, other)")
    .samples("binary(exclude='complex')")
    .rejects("ops.minimum(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("fmax(input: Operand, other: Operand) -> Tensor")
    .primitive("Fmax()(x1:input, x2:other)")
    .doc("Maximum of two elements that ignores NaN; NaN only if both are.")
    .formula("out[i] = max(input[i], other[i])")
    .see("ops.maximum")
    .method()
    .alias("x", "input")
    .alias("y", "other")
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) { choose_number_gradient(g, greater); })
    .numpy("np.fmax(input, other)")
    .samples("binary(exclude='complex')", "call(V([np.nan, 1.0], 'float32'), V([2.0, np.nan], 'float32'))")
    .rejects("ops.fmax(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("fmin(input: Operand, other: Operand) -> Tensor")
    .primitive("Fmin()(x1:input, x2:other)")
    .doc("Minimum of two elements that ignores NaN; NaN only if both are.")
    .formula("out[i] = min(input[i], other[i])")
    .see("ops.minimum")
    .method()
    .alias("x", "input")
    .alias("y", "other")
    .elementwise(infer::arithmetic)
    .grad([](GradCall& g) { choose_number_gradient(g, less); })
    .numpy("np.fmin(input, other)")
    .samples("binary(exclude='complex')", "call(V([np.nan, 1.0], 'float32'), V([2.0, np.nan], 'float32'))")
    .rejects("ops.fmin(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("copysign(input: Operand, other: Operand) -> Tensor")
    .doc("Absolute value of `input` with the sign of `other`, element by element.")
    .formula("out[i] = |input[i]|", "sign bit of other[i] is not set")
    .formula("out[i] = −|input[i]|", "sign bit of other[i] is set")
    .see("ops.sign")
    .function("copysign(x:input, other)")
    .method()
    .numpy_function("copysign")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] { return g.grad() * (sign(g.value(0)) * copysign(g.builder(), 1.0, g[1])); });
    })
    .numpy("np.copysign(input, other)")
    .samples("binary(only='float')")
    .rejects("ops.copysign(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("nextafter(input: Operand, other: Operand) -> Tensor")
    .doc("Next representable number after `input` towards `other`, element by element.")
    .formula("out[i] = the representable number nearest to input[i] on the side of other[i]",
             "input[i] ≠ other[i]")
    .formula("out[i] = other[i]", "input[i] = other[i]")
    .arg("input", "float32 or float64.")
    .arg("other", "direction, broadcasts with `input`.")
    .method()
    .primitive("NextAfter")
    .alias("x1", "input")
    .alias("x2", "other")
    .elementwise([](const Arguments& args, Results& results) {
      infer::floating(args, results);
      // Narrower floats are computed as float32, where the next number is one that they cannot hold.
      const DType dtype = results[0].dtype;
      if (dtype != DType::kFloat32 && dtype != DType::kFloat64) {
        type_error(args.op(), ": the dtype ", dtype, " is not accepted; accepted are Float32 and Float64");
      }
    })
    .grad([](GradCall& g) { set_operand(g, 0, [&] { return g.grad(); }); })
    .numpy("np.nextafter(input, other)")
    .samples(
        "binary(only='float32+float64')",
        "call(V([0.0, -0.0, np.inf, np.nan, 1.0, 1.0], 'float32'), V([1.0, -1.0, 0.0, 1.0, np.nan, 1.0], "
        "'float32'))")
    .rejects("ops.nextafter(ones(2).half(), ones(2).half())", "TypeError",
             "nextafter: the dtype Float16 is not accepted");

DYAD_OP("heaviside(input: Operand, values: Operand) -> Tensor")
    .doc("Heaviside step function, element by element.")
    .formula("out[i] = 0", "input[i] < 0")
    .formula("out[i] = values[i]", "input[i] = 0")
    .formula("out[i] = 1", "input[i] > 0")
    .arg("input", "real numbers, any shape.")
    .arg("values", "the result at 0, broadcasts with `input`.")
    .method()
    .primitive("Heaviside")
    .alias("x", "input")
    .numpy_function("heaviside")
    .elementwise(infer::arithmetic)
    .no_grad(kStep)
    .numpy("np.heaviside(input, values).astype(input.dtype)")
    .samples("call(T(2, 3), T(3), dtypes='float')", "call(V([-1, 0, 1], 'int32'), 5)")
    .rejects("ops.heaviside(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

}  // namespace dyad
