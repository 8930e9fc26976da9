#include "ops/elementwise/gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(abs, less, sin, sinc, cos, sinh, cosh, square, sqrt, rsqrt, mul, add, sub, div, equal, where, cast,
         tanh_grad);

constexpr double kPi = 3.14159265358979323846;
constexpr double kSmallSinc = 0.25;

/// The derivative of sinc by its series: below kSmallSinc the terms left out are smaller than the last digit,
/// where the closed form loses digits and has no higher derivatives at 0.
Value sinc_slope_near_zero(const Value& x) {
  constexpr int kTerms = 9;
  double coefficients[kTerms];
  double term = 1;  // (-1)^k pi^2k / (2k + 1)!
  for (int k = 1; k <= kTerms; ++k) {
    term *= -kPi * kPi / (2 * k * (2 * k + 1));
    coefficients[k - 1] = 2 * k * term;
  }
  const Value squared = square(x);
  Value sum = squared * coefficients[kTerms - 1];
  for (int k = kTerms - 1; k > 1; --k) sum = (sum + coefficients[k - 1]) * squared;
  return x * (sum + coefficients[0]);
}

}  // namespace

DYAD_OP("sin(input: Tensor) -> Tensor")
    .doc("Sine, element by element, of angles in radians.")
    .formula("sin(x) = (e^(ix) − e^(−ix)) / 2i")
    .see("ops.cos, ops.asin")
    .method()
    .inplace("sin_")
    .primitive("Sin")
    .alias("x", "input")
    .mint("sin")
    .numpy_function("sin")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() * conjugated(cos(g.value(0)))); })
    .numpy("np.sin(input)")
    .samples("unary(lo=-9, hi=9, only='float+complex')",
             "call(V([1e4, -1e6, 1e9, 1e30, np.inf, -0.0], 'float32'))", "call(T(5), dtypes='int32+int64')")
    .rejects("ops.sin('a')", "TypeError", "sin: input is 'a'");

DYAD_OP("cos(input: Tensor) -> Tensor")
    .doc("Cosine, element by element, of angles in radians.")
    .formula("cos(x) = (e^(ix) + e^(−ix)) / 2")
    .see("ops.sin, ops.acos")
    .method()
    .inplace("cos_")
    .primitive("Cos")
    .alias("x", "input")
    .mint("cos")
    .numpy_function("cos")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, -(g.grad() * conjugated(sin(g.value(0))))); })
    .numpy("np.cos(input)")
    .samples("unary(lo=-9, hi=9, only='float+complex')",
             "call(V([1e4, -1e6, 1e9, 1e30, np.inf, -0.0], 'float32'))", "call(T(5), dtypes='int32+int64')")
    .rejects("ops.cos('a')", "TypeError", "cos: input is 'a'");

DYAD_OP("tan(input: Tensor) -> Tensor")
    .doc("Tangent, element by element, of angles in radians.")
    .formula("tan(x) = sin(x) / cos(x)")
    .see("ops.atan")
    .method()
    .inplace("tan_")
    .primitive("Tan")
    .alias("x", "input")
    .mint("tan")
    .numpy_function("tan")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() * conjugated(square(g.out()) + 1)); })
    .autocast(Autocast::kFloat32)
    .numpy("np.tan(input)")
    .samples("unary(lo=-1.3, hi=1.3, only='float+complex')")
    .rejects("ops.tan('a')", "TypeError", "tan: input is 'a'");

DYAD_OP("asin(input: Tensor) -> Tensor")
    .doc("Inverse sine in radians, in [−π/2, π/2]. It is NaN for real numbers outside [−1, 1].")
    .formula("sin(asin(x)) = x")
    .see("ops.sin")
    .function("arcsin(x:input)")
    .method()
    .method("arcsin")
    .inplace("asin_")
    .primitive("Asin")
    .alias("x", "input")
    .mint("arcsin", "asin")
    .numpy_function("arcsin")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() * conjugated(rsqrt(1.0 - square(g.value(0))))); })
    .autocast(Autocast::kFloat32)
    .numpy("np.arcsin(input)")
    .samples("unary(lo=-0.9, hi=0.9, only='float+complex')")
    .rejects("ops.asin('a')", "TypeError", "asin: input is 'a'");

DYAD_OP("acos(input: Tensor) -> Tensor")
    .doc("Inverse cosine in radians, in [0, π]. It is NaN for real numbers outside [−1, 1].")
    .formula("cos(acos(x)) = x")
    .see("ops.cos")
    .function("arccos")
    .method()
    .method("arccos")
    .inplace("acos_")
    .primitive("ACos")
    .alias("x", "input")
    .mint("acos", "arccos")
    .numpy_function("arccos")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, -(g.grad() * conjugated(rsqrt(1.0 - square(g.value(0)))))); })
    .autocast(Autocast::kFloat32)
    .numpy("np.arccos(input)")
    .samples("unary(lo=-0.9, hi=0.9, only='float+complex')")
    .rejects("ops.acos('a')", "TypeError", "acos: input is 'a'");

DYAD_OP("atan(input: Tensor) -> Tensor")
    .doc("Inverse tangent in radians, in [−π/2, π/2].")
    .formula("tan(atan(x)) = x")
    .see("ops.tan, ops.atan2")
    .function("arctan")
    .method()
    .method("arctan")
    .inplace("atan_")
    .primitive("Atan")
    .alias("x", "input")
    .mint("arctan", "atan")
    .numpy_function("arctan")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() / conjugated(square(g.value(0)) + 1)); })
    .numpy("np.arctan(input)")
    .samples("unary(only='float+complex')")
    .rejects("ops.atan('a')", "TypeError", "atan: input is 'a'");

DYAD_OP("atan2(input: Operand, other: Operand) -> Tensor")
    .doc("Angle of the point (other, input) in radians, in [−π, π].")
    .formula("out[i] = the angle θ with input[i] = r · sin θ, other[i] = r · cos θ, r ≥ 0")
    .see("ops.atan, ops.angle")
    .function("arctan2")
    .method()
    .method("arctan2(other)")
    .primitive("Atan2")
    .alias("x", "input")
    .alias("y", "other")
    .mint("arctan2", "atan2")
    .numpy_function("arctan2")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      const Value scaled = g.grad() / add(mul(g.builder(), g[0], g[0]), mul(g.builder(), g[1], g[1]));
      set_operand(g, 0, [&] { return scaled * g[1]; });
      set_operand(g, 1, [&] { return -(scaled * g[0]); });
    })
    .numpy("np.arctan2(input, other)")
    .samples("binary(only='float')")
    .rejects("ops.atan2(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("sinh(input: Tensor) -> Tensor")
    .doc("Hyperbolic sine, element by element.")
    .formula("sinh(x) = (eˣ − e⁻ˣ) / 2")
    .see("ops.cosh, ops.asinh")
    .method()
    .inplace("sinh_")
    .primitive("Sinh")
    .alias("x", "input")
    .mint("sinh")
    .numpy_function("sinh")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() * conjugated(cosh(g.value(0)))); })
    .autocast(Autocast::kFloat32)
    .numpy("np.sinh(input)")
    .samples("unary(only='float+complex')")
    .rejects("ops.sinh('a')", "TypeError", "sinh: input is 'a'");

DYAD_OP("cosh(input: Tensor) -> Tensor")
    .doc("Hyperbolic cosine, element by element.")
    .formula("cosh(x) = (eˣ + e⁻ˣ) / 2")
    .see("ops.sinh, ops.acosh")
    .method()
    .inplace("cosh_")
    .primitive("Cosh")
    .alias("x", "input")
    .mint("cosh")
    .numpy_function("cosh")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() * conjugated(sinh(g.value(0)))); })
    .autocast(Autocast::kFloat32)
    .numpy("np.cosh(input)")
    .samples("unary(only='float+complex')")
    .rejects("ops.cosh('a')", "TypeError", "cosh: input is 'a'");

DYAD_OP("tanh_grad(gradient: Tensor, output: Tensor) -> Tensor")
    .doc("Gradient of tanh from the gradient of its result and the result.")
    .hidden()
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      g.set(0, tanh_grad(g.grad(), conjugated(g.value(1))));
      g.set(1, g.grad() * conjugated(g.value(0) * g.value(1)) * -2);
    })
    .numpy("gradient * (1 - output * output)")
    .samples("call(T(2, 3), T(2, 3), dtypes='float')")
    .rejects("dyad._core.named_op('tanh_grad')(ones(2), ones(3))", "ValueError", "do not broadcast");

DYAD_OP("tanh(input: Tensor) -> Tensor")
    .doc("Hyperbolic tangent, element by element.")
    .formula("tanh(x) = (eˣ − e⁻ˣ) / (eˣ + e⁻ˣ)")
    .see("ops.sigmoid, ops.atanh, nn.Tanh")
    .method()
    .inplace("tanh_")
    .primitive("Tanh")
    .alias("x", "input")
    .alias("input_x", "input")
    .mint("tanh")
    .numpy_function("tanh")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, tanh_grad(g.grad(), conjugated(g.out()))); })
    .numpy("np.tanh(input)")
    .samples("unary(only='float+complex')", "call(V([-100.0, 100.0, np.inf, np.nan, 1e-8], 'float32'))")
    .rejects("ops.tanh('a')", "TypeError", "tanh: input is 'a'");

DYAD_OP("asinh(input: Tensor) -> Tensor")
    .doc("Inverse hyperbolic sine, element by element.")
    .formula("asinh(x) = ln(x + √(x² + 1))")
    .see("ops.sinh")
    .function("arcsinh")
    .method()
    .method("arcsinh")
    .inplace("asinh_")
    .primitive("Asinh")
    .alias("x", "input")
    .mint("arcsinh", "asinh")
    .numpy_function("arcsinh")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() * conjugated(rsqrt(square(g.value(0)) + 1))); })
    .numpy("np.arcsinh(input)")
    .samples("unary(only='float+complex')")
    .rejects("ops.asinh('a')", "TypeError", "asinh: input is 'a'");

DYAD_OP("acosh(input: Tensor) -> Tensor")
    .doc("Inverse hyperbolic cosine, element by element. It is NaN below 1.")
    .formula("acosh(x) = ln(x + √(x − 1) · √(x + 1))")
    .see("ops.cosh")
    .function("arccosh")
    .method()
    .method("arccosh")
    .inplace("acosh_")
    .primitive("Acosh")
    .alias("x", "input")
    .mint("acosh", "arccosh")
    .numpy_function("arccosh")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      // Two roots: the root of the product has the other sign where the real part is negative.
      const Value& x = g.value(0);
      g.set(0, g.grad() * conjugated(rsqrt(x - 1) * rsqrt(x + 1)));
    })
    .numpy("np.arccosh(input)")
    .samples("unary(lo=1.2, hi=5, only='float')")
    .rejects("ops.acosh('a')", "TypeError", "acosh: input is 'a'");

DYAD_OP("atanh(input: Tensor) -> Tensor")
    .doc("Inverse hyperbolic tangent, element by element. It is ±∞ at ±1 and NaN outside [−1, 1].")
    .formula("atanh(x) = ln((1 + x) / (1 − x)) / 2")
    .see("ops.tanh")
    .function("arctanh")
    .method()
    .method("arctanh")
    .inplace("atanh_")
    .primitive("Atanh")
    .alias("x", "input")
    .mint("arctanh", "atanh")
    .numpy_function("arctanh")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() / conjugated(1.0 - square(g.value(0)))); })
    .numpy("np.arctanh(input)")
    .samples("unary(lo=-0.9, hi=0.9, only='float+complex')")
    .rejects("ops.atanh('a')", "TypeError", "atanh: input is 'a'");

DYAD_OP("sinc(input: Tensor) -> Tensor")
    .doc("Normalized sinc function, element by element.")
    .formula("sinc(x) = sin(πx) / (πx)", "x ≠ 0")
    .formula("sinc(x) = 1", "x = 0")
    .see("ops.sin")
    .method()
    .inplace("sinc_")
    .primitive("Sinc")
    .mint("sinc")
    .numpy_function("sinc")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      const Value& x = g.value(0);
      const Value small = less(abs(x), kSmallSinc);
      const Value far = where(small, 1, x);
      const Value slope = (cos(far * kPi) - sinc(far)) / far;
      g.set(0, g.grad() * conjugated(where(small, sinc_slope_near_zero(where(small, x, 0)), slope)));
    })
    .numpy("np.sinc(input)")
    .samples("unary(lo=0.2, hi=3, only='float+complex')", "call(V([0.0, 1.0, -0.5], 'float32'))")
    .rejects("ops.sinc('a')", "TypeError", "sinc: input is 'a'");

DYAD_OP("deg2rad(input: Tensor) -> Tensor")
    .doc("Conversion of degrees to radians, x · π/180.")
    .formula("deg2rad(x) = x · π / 180")
    .see("ops.rad2deg")
    .function("deg2rad(x:input)")
    .method()
    .numpy_function("deg2rad", "radians")
    .compose([](const Call& c) { return mul(c.value(0), kPi / 180.0); })
    .numpy("np.deg2rad(input)")
    .samples("unary(only='float')")
    .rejects("ops.deg2rad('a')", "TypeError", "deg2rad: input is 'a'");

DYAD_OP("rad2deg(input: Tensor) -> Tensor")
    .doc("Conversion of radians to degrees, x · 180/π.")
    .formula("rad2deg(x) = x · 180 / π")
    .see("ops.deg2rad")
    .function("rad2deg(x:input)")
    .method()
    .numpy_function("degrees", "rad2deg")
    .compose([](const Call& c) { return mul(c.value(0), 180.0 / kPi); })
    .numpy("np.rad2deg(input)")
    .samples("unary(only='float')")
    .rejects("ops.rad2deg('a')", "TypeError", "rad2deg: input is 'a'");

}  // namespace dyad
