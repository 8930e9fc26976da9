#include <cmath>
#include <numbers>

#include "base/error.h"
#include "ops/elementwise/gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(exp, square, sign, digamma, lgamma, polygamma_at, bessel_i0, bessel_i0e, bessel_i1, bessel_i1e,
         bessel_j0, bessel_j1, bessel_y0, bessel_y1, equal, where);

constexpr double kTwoOverRootPi = 1.12837916709551257390;
constexpr double kHalfRootPi = 0.88622692545275801365;

}  // namespace

DYAD_OP("erf(input: Tensor) -> Tensor")
    .doc("Error function, element by element.")
    .formula("erf(x) = 2/√π · ∫₀ˣ exp(−t²) dt")
    .see("ops.erfc, ops.erfinv")
    .method()
    .inplace("erf_")
    .primitive("Erf")
    .alias("x", "input")
    .mint("erf")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() * (exp(-square(g.value(0))) * kTwoOverRootPi)); })
    .numpy("special.erf(input)")
    .samples("unary(only='float')", "call(V([-10.0, 10.0, np.inf, np.nan, 1e-8], 'float32'))")
    .rejects("ops.erf('a')", "TypeError", "erf: input is 'a'");

DYAD_OP("erfc(input: Tensor) -> Tensor")
    .doc("Complementary error function, 1 − erf(x), accurate for large x.")
    .formula("erfc(x) = 1 − erf(x) = 2/√π · ∫ₓ^∞ exp(−t²) dt")
    .see("ops.erf")
    .method()
    .inplace("erfc_")
    .primitive("Erfc")
    .alias("x", "input")
    .mint("erfc")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() * (exp(-square(g.value(0))) * -kTwoOverRootPi)); })
    .numpy("special.erfc(input)")
    .samples("unary(only='float')")
    .rejects("ops.erfc('a')", "TypeError", "erfc: input is 'a'");

DYAD_OP("erfinv(input: Tensor) -> Tensor")
    .doc("Inverse error function. It is ±∞ at ±1 and NaN outside [−1, 1].")
    .formula("erf(erfinv(x)) = x")
    .see("ops.erf")
    .method()
    .inplace("erfinv_")
    .primitive("Erfinv")
    .mint("erfinv")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() * (exp(square(g.out())) * kHalfRootPi)); })
    .autocast(Autocast::kFloat32)
    .numpy("special.erfinv(input)")
    .samples("unary(lo=-0.95, hi=0.95, only='float')",
             "call(V([-1.0, 1.0, 2.0, 0.999999, 1e-9, 0.0], 'float32'))")
    .rejects("ops.erfinv('a')", "TypeError", "erfinv: input is 'a'");

DYAD_OP("lgamma(input: Tensor) -> Tensor")
    .doc("Logarithm of the absolute value of the gamma function.")
    .formula("lgamma(x) = ln |Γ(x)|, Γ(x) = ∫₀^∞ tˣ⁻¹ e⁻ᵗ dt")
    .see("ops.digamma, ops.mvlgamma")
    .function("gammaln")
    .method()
    .primitive("Lgamma")
    .alias("x", "input")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() * digamma(g.value(0))); })
    .numpy("special.gammaln(input)")
    .samples("unary(lo=0.3, hi=9, only='float')", "call(V([-1.5, 0.0, -2.0, 100.0], 'float32'))")
    .rejects("ops.lgamma('a')", "TypeError", "lgamma: input is 'a'");

DYAD_OP("digamma(input: Tensor) -> Tensor")
    .doc("Digamma function, the derivative of ln Γ(x).")
    .formula("digamma(x) = ψ(x) = Γ′(x) / Γ(x)")
    .see("ops.lgamma, ops.polygamma")
    .method()
    .primitive("Digamma")
    .alias("x", "input")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() * polygamma_at(1.0, g.value(0))); })
    .numpy("special.digamma(input)")
    .samples("unary(lo=0.3, hi=9, only='float')", "call(V([-1.5, -0.3, 100.0, 1e-3], 'float32'))")
    .rejects("ops.digamma('a')", "TypeError", "digamma: input is 'a'");

DYAD_OP("polygamma_at(order: Operand, input: Operand) -> Tensor")
    .doc("Polygamma function: the derivative of ψ (digamma) of the given order.")
    .formula("polygamma(n, x) = dⁿψ(x) / dxⁿ")
    .arg("order", "n, integers ≥ 0.")
    .arg("input", "x, floats.")
    .see("ops.digamma")
    .hidden()
    .function("polygamma(n:order, input)")
    .primitive("Polygamma(n:order)(x:input)")
    .alias("a", "order")
    .alias("n", "order")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      set_operand(g, 1, [&] {
        if (!g.is_value(0)) return g.grad() * polygamma_at(g.builder(), g.real(0) + 1.0, g[1]);
        return g.grad() * polygamma_at(g.value(0) + 1, g[1]);
      });
    })
    .numpy("special.polygamma(order, input).astype(np.asarray(input).dtype)")
    .samples("call(1.0, T(2, 3, lo=0.5, hi=6), dtypes='float32+float64')",
             "call(2.0, T(2, 3, lo=0.5, hi=6), dtypes='float32+float64')", "call(0.0, T(3, lo=0.5, hi=6))")
    .rejects("ops.polygamma(1, 'a')", "TypeError", "input is 'a'");

DYAD_OP("bessel_i0(input: Tensor) -> Tensor")
    .doc("Modified Bessel function of the first kind, order 0.")
    .formula("I₀(x) = 1/π · ∫₀^π exp(x · cos t) dt")
    .see("ops.bessel_i0e, ops.bessel_i1")
    .function("bessel_i0(x:input)")
    .function("i0")
    .method("i0")
    .primitive("BesselI0")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() * bessel_i1(g.value(0))); })
    .numpy("special.i0(input)")
    .samples("unary(only='float')", "call(V([-40.0, 35.0, 0.0], 'float32'))")
    .rejects("ops.bessel_i0('a')", "TypeError", "input is 'a'");

DYAD_OP("bessel_i0e(input: Tensor) -> Tensor")
    .doc("Exponentially scaled modified Bessel function of the first kind, order 0.")
    .formula("bessel_i0e(x) = exp(−|x|) · I₀(x)")
    .see("ops.bessel_i0")
    .function("bessel_i0e(x:input)")
    .primitive("BesselI0e")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() * (bessel_i1e(g.value(0)) - sign(g.value(0)) * g.out())); })
    .numpy("special.i0e(input)")
    .samples("unary(only='float')", "call(V([-400.0, 35.0, 0.0], 'float32'))")
    .rejects("ops.bessel_i0e('a')", "TypeError", "input is 'a'");

DYAD_OP("bessel_i1(input: Tensor) -> Tensor")
    .doc("Modified Bessel function of the first kind, order 1.")
    .formula("I₁(x) = 1/π · ∫₀^π exp(x · cos t) · cos t dt")
    .see("ops.bessel_i1e, ops.bessel_i0")
    .function("bessel_i1(x:input)")
    .primitive("BesselI1")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      const Value& x = g.value(0);
      const Value at_zero = equal(x, 0);
      const Value slope = bessel_i0(x) - g.out() / where(at_zero, 1, x);
      g.set(0, g.grad() * where(at_zero, 0.5, slope));
    })
    .numpy("special.i1(input)")
    .samples("unary(only='float')", "call(V([-40.0, 35.0, 0.0], 'float32'))")
    .rejects("ops.bessel_i1('a')", "TypeError", "input is 'a'");

DYAD_OP("bessel_i1e(input: Tensor) -> Tensor")
    .doc("Exponentially scaled modified Bessel function of the first kind, order 1.")
    .formula("bessel_i1e(x) = exp(−|x|) · I₁(x)")
    .see("ops.bessel_i1")
    .function("bessel_i1e(x:input)")
    .primitive("BesselI1e")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      const Value& x = g.value(0);
      const Value at_zero = equal(x, 0);
      const Value slope = bessel_i0e(x) - g.out() * (sign(x) + 1.0 / where(at_zero, 1, x));
      g.set(0, g.grad() * where(at_zero, 0.5, slope));
    })
    .numpy("special.i1e(input)")
    .samples("unary(only='float')", "call(V([-400.0, 35.0, 0.0], 'float32'))")
    .rejects("ops.bessel_i1e('a')", "TypeError", "input is 'a'");

DYAD_OP("bessel_j0(input: Tensor) -> Tensor")
    .doc("Bessel function of the first kind, order 0.")
    .formula("J₀(x) = 1/π · ∫₀^π cos(x · sin t) dt")
    .see("ops.bessel_j1, ops.bessel_y0")
    .function("bessel_j0(x:input)")
    .primitive("BesselJ0")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, -(g.grad() * bessel_j1(g.value(0)))); })
    .numpy("special.j0(input)")
    .samples("unary(only='float')")
    .rejects("ops.bessel_j0('a')", "TypeError", "input is 'a'");

DYAD_OP("bessel_j1(input: Tensor) -> Tensor")
    .doc("Bessel function of the first kind, order 1.")
    .formula("J₁(x) = 1/π · ∫₀^π cos(t − x · sin t) dt")
    .see("ops.bessel_j0, ops.bessel_y1")
    .function("bessel_j1(x:input)")
    .primitive("BesselJ1")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      const Value& x = g.value(0);
      const Value at_zero = equal(x, 0);
      const Value slope = bessel_j0(x) - g.out() / where(at_zero, 1, x);
      g.set(0, g.grad() * where(at_zero, 0.5, slope));
    })
    .numpy("special.j1(input)")
    .samples("unary(only='float')")
    .rejects("ops.bessel_j1('a')", "TypeError", "input is 'a'");

DYAD_OP("bessel_y0(input: Tensor) -> Tensor")
    .doc("Bessel function of the second kind, order 0. It is −∞ at 0 and NaN below.")
    .formula("Y₀(x) = −2/π · ∫₀^∞ cos(x · cosh t) dt")
    .see("ops.bessel_y1, ops.bessel_j0")
    .function("bessel_y0(x:input)")
    .primitive("BesselY0")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, -(g.grad() * bessel_y1(g.value(0)))); })
    .numpy("special.y0(input)")
    .samples("unary(lo=0.5, hi=9, only='float')")
    .rejects("ops.bessel_y0('a')", "TypeError", "input is 'a'");

DYAD_OP("bessel_y1(input: Tensor) -> Tensor")
    .doc("Bessel function of the second kind, order 1. It is −∞ at 0 and NaN below.")
    .formula("Y₁(x) = −Y₀′(x)")
    .see("ops.bessel_y0, ops.bessel_j1")
    .function("bessel_y1(x:input)")
    .primitive("BesselY1")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() * (bessel_y0(g.value(0)) - g.out() / g.value(0))); })
    .numpy("special.y1(input)")
    .samples("unary(lo=0.5, hi=9, only='float')")
    .rejects("ops.bessel_y1('a')", "TypeError", "input is 'a'");

DYAD_OP("mvlgamma(input: Tensor, p: int) -> Tensor")
    .doc("Multivariate log-gamma function of dimension p.")
    .formula("out = p(p − 1)/4 · ln π + Σⱼ ln |Γ(x + (1 − j)/2)|, j = 1…p")
    .arg("input", "floats, any shape.")
    .arg("p", "dimension, 1 to 65536.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.lgamma")
    .method()
    .primitive("Mvlgamma(p)(x:input)")
    .alias("x", "input")
    .compose([](const Call& call) {
      const int64_t p = call.integer(1);
      // One term per dimension is computed: more than this many would never end.
      if (p < 1 || p > 65536) value_error(call.op(), ": p is ", p, "; it must be 1 to 65536");
      Value total = lgamma(call.value(0));
      for (int64_t i = 1; i < p; ++i) total = total + lgamma(call.value(0) - 0.5 * static_cast<double>(i));
      const auto pairs = static_cast<double>(p * (p - 1)) / 4;
      return p == 1 ? total : total + pairs * std::log(std::numbers::pi);
    })
    .numpy("np.vectorize(lambda x, p: special.multigammaln(x, p))(input, p)")
    .samples("call(T(2, 3, lo=2.5, hi=6), 3, dtypes='float32+float64')", "call(T(4, lo=0.5, hi=3), 1)")
    .rejects("ops.mvlgamma(ones(2), 0)", "ValueError", "mvlgamma: p is 0")
    .rejects("ops.mvlgamma(ones(2), 2**63 - 1)", "ValueError", "it must be 1 to 65536");

}  // namespace dyad
