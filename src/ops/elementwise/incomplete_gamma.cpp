#include <cmath>
#include <numbers>

#include "ops/elementwise/gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(arange, cast, cosh, digamma, exp, expand_dims, full_like, igamma_slope, lgamma, log, mul,
         polygamma_at, sinh, square, sub, sum);

/// x^(a-1) e^-x / Gamma(a), the density that both incomplete gamma functions integrate.
Value gamma_density(const GradCall& g) {
  const Value& x = g.value(1);
  if (g.is_value(0)) return exp(mul(g.value(0) - 1, log(x)) - x - lgamma(g.value(0)));
  return exp(log(x) * (g.real(0) - 1) - x - std::lgamma(g.real(0)));
}

/// The derivative of the density's logarithm by its parameter: log(x) - digamma(a).
Value log_less_digamma(const GradCall& g) {
  const Value& x = g.value(1);
  return log(x) - digamma(g.is_value(0) ? g.value(0) : full_like(x, g.real(0)));
}

/// The second derivative of the lower function by its first argument: the integral of the second derivative
/// of the density. With t = x e^-u and u = e^(pi/2 sinh s) the integrand falls off doubly exponentially on
/// both sides, and equal steps of s give almost all digits.
Value curvature(const GradCall& g) {
  constexpr double kFirst = -3.2;
  constexpr double kStep = 0.02;
  constexpr int64_t kCount = 300;
  const Value s = cast(arange(g.builder(), 0, kCount), DType::kFloat64) * kStep + kFirst;
  const Value u = exp(sinh(s) * (std::numbers::pi / 2));
  const Value du = u * cosh(s) * (std::numbers::pi / 2 * kStep);
  const Value a = expand_dims(cast(g.value(0), DType::kFloat64), -1);
  const Value x =
      expand_dims(cast(g.is_value(1) ? g.value(1) : full_like(g.value(0), g.real(1)), DType::kFloat64), -1);
  const Value log_t = log(x) - u;
  const Value density = exp(a * log_t - x * exp(-u) - lgamma(a));
  const Value change = square(log_t - digamma(a)) - polygamma_at(g.builder(), 1.0, a);
  return sum(change * density * du, Dims{-1});
}

}  // namespace

DYAD_OP("igamma(input: Operand, other: Operand) -> Tensor")
    .doc("Regularized lower incomplete gamma function P(a, x), with a = input and x = other.")
    .formula("P(a, x) = 1 / Γ(a) · ∫₀ˣ tᵃ⁻¹ e⁻ᵗ dt")
    .arg("input", "a, floats > 0.")
    .arg("other", "x, floats ≥ 0, broadcasts with `input`.")
    .see("ops.igammac, ops.lgamma")
    .method()
    .primitive("Igamma")
    .alias("a", "input")
    .alias("x", "other")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] { return g.grad() * igamma_slope(g.value(0), g[1]); });
      set_operand(g, 1, [&] { return g.grad() * gamma_density(g); });
    })
    .numpy("special.gammainc(input, other)")
    .samples("call(V([0.5, 2.0, 30.0], 'float64'), V([1.0, 3.0, 20.0], 'float64'))",
             "call(2.5, T(2, 3, lo=0.5, hi=9), dtypes='float32+float64')")
    .rejects("ops.igamma(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("igamma_slope(input: Operand, other: Operand) -> Tensor")
    .doc("Derivative of the lower incomplete gamma function with respect to its first argument.")
    .hidden()
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] { return g.grad() * curvature(g); });
      set_operand(g, 1, [&] { return g.grad() * (gamma_density(g) * log_less_digamma(g)); });
    })
    .numpy("ref.igamma_slope(input, other)")
    .samples("call(V([0.5, 2.0, 9.0], 'float32'), V([1.0, 3.0, 8.0], 'float32'))")
    .rejects("dyad._core.named_op('igamma_slope')(ones(2), ones(3))", "ValueError", "do not broadcast");

DYAD_OP("igammac(input: Operand, other: Operand) -> Tensor")
    .doc("Regularized upper incomplete gamma function Q(a, x) = 1 − P(a, x), with a = input and x = other.")
    .formula("Q(a, x) = 1 / Γ(a) · ∫ₓ^∞ tᵃ⁻¹ e⁻ᵗ dt")
    .arg("input", "a, floats > 0.")
    .arg("other", "x, floats ≥ 0, broadcasts with `input`.")
    .see("ops.igamma, ops.lgamma")
    .method()
    .primitive("Igammac")
    .alias("a", "input")
    .alias("x", "other")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] { return -(g.grad() * igamma_slope(g.value(0), g[1])); });
      set_operand(g, 1, [&] { return -(g.grad() * gamma_density(g)); });
    })
    .numpy("special.gammaincc(input, other)")
    .samples("call(2.5, T(2, 3, lo=0.5, hi=9), dtypes='float32+float64')")
    .rejects("ops.igammac(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

}  // namespace dyad
