#include <numbers>

#include "ops/elementwise/gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(arange, betainc_slope, cast, cosh, digamma, exp, expand_dims, expm1, full, full_like, greater, less,
         lgamma, log, logical_and, sinh, sum, where, xlogy);

Value operand(const Call& call, size_t i, DType dtype) {
  if (call.is_value(i)) return cast(call.value(i), dtype);
  return full(call.builder(), Dims{}, call.real(i), dtype);
}

Value log_beta(const Value& a, const Value& b) { return lgamma(a) + lgamma(b) - lgamma(a + b); }

/// x^(a-1) (1-x)^(b-1) / B(a, b), which the function integrates. Its logarithm is a difference of large
/// numbers.
Value beta_density(const GradCall& g) {
  const Value a = operand(g, 0, DType::kFloat64);
  const Value b = operand(g, 1, DType::kFloat64);
  const Value x = operand(g, 2, DType::kFloat64);
  const Value density = exp(xlogy(a - 1.0, x) + xlogy(b - 1.0, 1.0 - x) - log_beta(a, b));
  return cast(density, g.grad()->dtype);
}

/// The derivative by the first parameter: the integral of the derivative of the density. With t = x e^-u and
/// u = e^(pi/2 sinh s) the integrand falls off doubly exponentially on both sides, and equal steps of s give
/// almost all digits.
Value slope_by_first(const Call& call) {
  constexpr double kFirst = -4.0;
  constexpr double kStep = 0.01;
  constexpr int64_t kCount = 700;
  const Value s = cast(arange(call.builder(), 0, kCount), DType::kFloat64) * kStep + kFirst;
  const Value u = exp(sinh(s) * (std::numbers::pi / 2));
  const Value du = u * cosh(s) * (std::numbers::pi / 2 * kStep);
  const Value given = operand(call, 2, DType::kFloat64);
  // The function is constant at both ends; nothing of the integral is infinite elsewhere.
  const Value inside = logical_and(greater(given, 0.0), less(given, 1.0));
  const Value x = expand_dims(where(inside, given, full_like(given, 0.5)), -1);
  const Value a = expand_dims(operand(call, 0, DType::kFloat64), -1);
  const Value b = expand_dims(operand(call, 1, DType::kFloat64), -1);
  const Value log_t = log(x) - u;
  const Value rest = (1.0 - x) - x * expm1(-u);
  const Value density = exp(a * log_t + (b - 1.0) * log(rest) - log_beta(a, b));
  const Value change = log_t - digamma(a) + digamma(a + b);
  const Value slope = sum(change * density * du, Dims{-1});
  return where(inside, slope, full_like(slope, 0.0));
}

}  // namespace

DYAD_OP("betainc(a: Operand, b: Operand, x: Operand) -> Tensor")
    .doc("Regularized incomplete beta function, element by element. B is the beta function.")
    .formula("out = 1 / B(a, b) · ∫₀ˣ tᵃ⁻¹ (1 − t)ᵇ⁻¹ dt")
    .arg("a", "positive floats.")
    .arg("b", "positive floats.")
    .arg("x", "upper limit, in [0, 1].")
    .hidden()
    .primitive("Betainc")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] { return g.grad() * betainc_slope(g.builder(), g[0], g[1], g[2]); });
      // I(a, b, x) = 1 - I(b, a, 1 - x)
      set_operand(g, 1, [&] {
        const Arg rest = g.is_value(2) ? Arg(1.0 - g.value(2)) : Arg(1.0 - g.real(2));
        return -(g.grad() * betainc_slope(g.builder(), g[1], g[0], rest));
      });
      set_operand(g, 2, [&] { return g.grad() * beta_density(g); });
    })
    .numpy("special.betainc(a, b, x)")
    .samples(
        "call(V([0.5, 2.0, 30.0, 1.0], 'float64'), V([0.5, 3.0, 20.0, 400.0], 'float64'), "
        "V([0.1, 0.4, 0.7, 0.001], 'float64'))",
        "call(T(2, 3, lo=0.5, hi=9), T(3, lo=0.5, hi=9), T(2, 3, lo=0.05, hi=0.95), "
        "dtypes='float32+float64')",
        "call(T(3, lo=0.5, hi=9), 2.5, T(3, lo=0.05, hi=0.95), dtypes='float32+float64')")
    .rejects("ops.Betainc()(ones(2), ones(3), ones(2))", "ValueError",
             "shapes (2,) and (3,) do not broadcast");

DYAD_OP("betainc_slope(a: Operand, b: Operand, x: Operand) -> Tensor")
    .doc("Derivative of the regularized incomplete beta function by its first argument.")
    .hidden()
    .compose([](const Call& call) {
      DType dtype = DType::kBool;
      for (size_t i = 0; i < 3; ++i) {
        if (call.is_value(i)) dtype = promote(call.op(), dtype, call.in(i).dtype);
      }
      return cast(slope_by_first(call), is_float(dtype) ? dtype : DType::kFloat32);
    })
    .numpy("ref.betainc_slope(a, b, x)")
    .samples(
        "call(T(2, 3, lo=0.5, hi=9), T(3, lo=0.5, hi=9), T(2, 3, lo=0.05, hi=0.95), "
        "dtypes='float32+float64')",
        "call(V([0.2, 300.0], 'float64'), V([0.3, 200.0], 'float64'), V([0.999, 0.61], 'float64'))")
    .rejects("dyad._core.named_op('betainc_slope')(ones(2), ones(3), ones(2))", "ValueError",
             "do not broadcast");

}  // namespace dyad
