#include <array>

#include "ops/elementwise/gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(arange, cast, exp, expand_dims, full, log, reciprocal, square, sum, zeta, zeta_slope);

Value in_double(const Call& call, size_t i) {
  if (call.is_value(i)) return cast(call.value(i), DType::kFloat64);
  return full(call.builder(), Dims{}, call.real(i), DType::kFloat64);
}

/// The derivative of the zeta function by its exponent s, by the formula of Euler and Maclaurin: the first
/// terms as they are, an integral for the rest and corrections with the Bernoulli numbers.
Value slope_by_exponent(const Call& call) {
  constexpr int64_t kTerms = 12;
  constexpr std::array kBernoulliOverFactorial = {1.0 / 12,          -1.0 / 720,
                                                  1.0 / 30240,       -1.0 / 1209600,
                                                  1.0 / 47900160,    -691.0 / 1307674368000,
                                                  1.0 / 74724249600, -3617.0 / 10670622842880000};
  const Value s = in_double(call, 0);
  const Value q = in_double(call, 1);
  const Value log_each = log(expand_dims(q, -1) + cast(arange(call.builder(), 0, kTerms), DType::kFloat64));
  Value slope = -sum(log_each * exp(-(expand_dims(s, -1) * log_each)), Dims{-1});

  const Value end = q + static_cast<double>(kTerms);
  const Value log_end = log(end);
  Value power = exp(-(s * log_end));
  slope = slope - power * end * (log_end * reciprocal(s - 1.0) + reciprocal(square(s - 1.0)));
  slope = slope - power * log_end * 0.5;
  // Each correction multiplies two more factors s + j, whose logarithmic derivatives are added up.
  Value rising = s;
  Value rates = reciprocal(s);
  for (size_t k = 0; k < kBernoulliOverFactorial.size(); ++k) {
    if (k > 0) {
      for (double j : {2.0 * static_cast<double>(k) - 1, 2.0 * static_cast<double>(k)}) {
        rising = rising * (s + j);
        rates = rates + reciprocal(s + j);
      }
    }
    power = power / (k == 0 ? end : square(end));
    slope = slope + rising * power * (rates - log_end) * kBernoulliOverFactorial[k];
  }
  return slope;
}

}  // namespace

DYAD_OP("zeta(input: Operand, other: Operand) -> Tensor")
    .doc("Hurwitz zeta function, element by element.")
    .formula("ζ(s, q) = Σₙ 1 / (n + q)ˢ, n = 0, 1, 2, …, s = input, q = other")
    .arg("input", "s, floats > 1.")
    .arg("other", "q, broadcasts with `input`.")
    .see("ops.polygamma")
    .primitive("Zeta")
    .alias("x", "input")
    .alias("q", "other")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] { return g.grad() * zeta_slope(g.builder(), g[0], g[1]); });
      set_operand(g, 1, [&] {
        if (g.is_value(0)) return -(g.grad() * g.value(0) * zeta(g.value(0) + 1, g[1]));
        return g.grad() * zeta(g.builder(), g.real(0) + 1, g[1]) * -g.real(0);
      });
    })
    .numpy("special.zeta(input, other)")
    .samples("call(T(2, 3, lo=1.1, hi=9), T(3, lo=0.2, hi=9), dtypes='float32+float64')",
             "call(2.0, T(2, 3, lo=0.2, hi=9), dtypes='float32+float64')", "call(T(4, lo=1.5, hi=5), 3)",
             "call(V([1.0, 0.5, 2.0, 2.5, 3.0, 4.0, 40.0], 'float32'), V([2.0, 2.0, -1.0, -1.3, -1.3, -7.75, "
             "0.3], "
             "'float32'))")
    .rejects("ops.zeta(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("zeta_slope(input: Operand, other: Operand) -> Tensor")
    .doc("Derivative of the Hurwitz zeta function by its exponent, `input`; NaN where `other` is negative.")
    .hidden()
    .compose([](const Call& call) {
      DType dtype = DType::kFloat64;
      if (call.is_value(0) && call.is_value(1)) {
        dtype = promote(call.op(), call.in(0).dtype, call.in(1).dtype);
      } else if (call.is_value(0) || call.is_value(1)) {
        dtype = call.in(call.is_value(0) ? 0 : 1).dtype;
      }
      return cast(slope_by_exponent(call), is_float(dtype) ? dtype : DType::kFloat32);
    })
    .numpy("ref.zeta_slope(input, other)")
    .samples("call(T(2, 3, lo=1.1, hi=9), T(3, lo=0.2, hi=9), dtypes='float32+float64')",
             "call(2.0, T(2, 3, lo=0.2, hi=9), dtypes='float32+float64')", "call(T(4, lo=1.5, hi=5), 3)")
    .rejects("dyad._core.named_op('zeta_slope')(ones(2), ones(3))", "ValueError", "do not broadcast");

}  // namespace dyad
