#include "ops/elementwise/gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(exp, exp2, log, sub, div_no_nan, xlogy, log1p, clamp, div, greater, logical_or, not_equal, ones_like,
         where, pow, mul, cast);

/// Returns where the logarithm in xlogy counts: not where it is undefined and its factor is 0.
Value logarithm_counts(const GradCall& g, const Value& factor_counts) {
  if (!g.is_value(0) && g.real(0) != 0) return ones_like(factor_counts);
  if (!g.is_value(1)) return g.real(1) > 0 ? ones_like(factor_counts) : factor_counts;
  return logical_or(factor_counts, greater(g.value(1), 0));
}

constexpr double kLn2 = 0.69314718055994530942;
constexpr double kLn10 = 2.30258509299404568402;

}  // namespace

DYAD_OP("exp(input: Tensor) -> Tensor")
    .doc("Exponential, eˣ, element by element.")
    .formula("exp(x) = eˣ")
    .see("ops.log, ops.expm1")
    .function("tensor_exp")
    .method()
    .inplace("exp_")
    .primitive("Exp")
    .alias("x", "input")
    .mint("exp")
    .numpy_function("exp")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() * conjugated(g.out())); })
    .autocast(Autocast::kFloat32)
    .numpy("np.exp(input)")
    .samples("unary(only='float+complex')", "call(T(5), dtypes='int32+int64')",
             "call(V([-1000.0, 1000.0, np.inf, -np.inf, np.nan, -100.0], 'float32'))")
    .rejects("ops.exp('a')", "TypeError", "exp: input is 'a'");

DYAD_OP("exp2(input: Tensor) -> Tensor")
    .doc("Power of two, 2ˣ, element by element.")
    .formula("exp2(x) = 2ˣ")
    .see("ops.exp, ops.log2")
    .method()
    .inplace("exp2_")
    .mint("exp2")
    .numpy_function("exp2")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() * conjugated(g.out() * kLn2)); })
    .autocast(Autocast::kFloat32)
    .numpy("np.exp2(input)")
    .samples("unary(only='float+complex')", "call(T(5), dtypes='int32+int64')")
    .rejects("ops.exp2('a')", "TypeError", "exp2: input is 'a'");

DYAD_OP("expm1(input: Tensor) -> Tensor")
    .doc("Exponential minus one, eˣ − 1, accurate near 0.")
    .formula("expm1(x) = eˣ − 1")
    .see("ops.exp, ops.log1p")
    .function("tensor_expm1")
    .method()
    .inplace("expm1_")
    .primitive("Expm1")
    .alias("x", "input")
    .mint("expm1")
    .numpy_function("expm1")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() * conjugated(g.out() + 1)); })
    .autocast(Autocast::kFloat32)
    .numpy("np.expm1(input)")
    .samples("unary(only='float+complex')", "call(V([1e-7, -1e-7, 1e-3, 100.0, -100.0], 'float32'))",
             "call(V([1e-6 + 1e-6j, -1e-5j], 'complex64'))")
    .rejects("ops.expm1('a')", "TypeError", "expm1: input is 'a'");

DYAD_OP("log(input: Tensor) -> Tensor")
    .doc("Natural logarithm, ln x, element by element. It is −∞ at 0 and NaN below.")
    .formula("log(x) = ln x")
    .see("ops.exp, ops.log1p")
    .method()
    .inplace("log_")
    .primitive("Log")
    .alias("x", "input")
    .mint("log")
    .numpy_function("log")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() / conjugated(g[0])); })
    .autocast(Autocast::kFloat32)
    .numpy("np.log(input)")
    .samples("unary(lo=0.2, hi=9, only='float+complex')", "call(T(5, lo=1, hi=9), dtypes='int32+int64')",
             "call(V([0.0, -1.0, np.inf, np.nan, 1e-40], 'float32'))")
    .rejects("ops.log('a')", "TypeError", "log: input is 'a'");

DYAD_OP("log2(input: Tensor) -> Tensor")
    .doc("Logarithm to base 2, element by element. It is −∞ at 0 and NaN below.")
    .formula("log2(x) = ln x / ln 2")
    .see("ops.log, ops.exp2")
    .method()
    .inplace("log2_")
    .alias("x", "input")
    .mint("log2")
    .numpy_function("log2")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() / conjugated(mul(g[0], kLn2))); })
    .autocast(Autocast::kFloat32)
    .numpy("np.log2(input)")
    .samples("unary(lo=0.2, hi=9, only='float')")
    .rejects("ops.log2('a')", "TypeError", "log2: input is 'a'");

DYAD_OP("log10(input: Tensor) -> Tensor")
    .doc("Logarithm to base 10, element by element. It is −∞ at 0 and NaN below.")
    .formula("log10(x) = ln x / ln 10")
    .see("ops.log")
    .method()
    .inplace("log10_")
    .alias("x", "input")
    .mint("log10")
    .numpy_function("log10")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() / conjugated(mul(g[0], kLn10))); })
    .autocast(Autocast::kFloat32)
    .numpy("np.log10(input)")
    .samples("unary(lo=0.2, hi=9, only='float+complex')")
    .rejects("ops.log10('a')", "TypeError", "log10: input is 'a'");

DYAD_OP("log1p(input: Tensor) -> Tensor")
    .doc("Logarithm of one plus x, ln(1 + x), accurate near 0.")
    .formula("log1p(x) = ln(1 + x)")
    .see("ops.log, ops.expm1")
    .method()
    .inplace("log1p_")
    .primitive("Log1p")
    .alias("x", "input")
    .mint("log1p")
    .numpy_function("log1p")
    .elementwise(infer::floating)
    .grad([](GradCall& g) { g.set(0, g.grad() / conjugated(g.value(0) + 1)); })
    .autocast(Autocast::kFloat32)
    .numpy("np.log1p(input)")
    .samples("unary(lo=-0.8, hi=9, only='float+complex')", "call(V([1e-6 + 1e-6j, -1e-5j], 'complex64'))",
             "call(V([1e-7, -1e-7, 1e-3, -1.0, np.inf], 'float32'))")
    .rejects("ops.log1p('a')", "TypeError", "log1p: input is 'a'");

DYAD_OP("logaddexp(input: Operand, other: Operand) -> Tensor")
    .doc("Logarithm of the sum of exponentials of two elements, computed without overflow.")
    .formula("out[i] = log(exp(input[i]) + exp(other[i]))")
    .see("ops.logaddexp2, ops.logsumexp")
    .method()
    .mint("logaddexp")
    .numpy_function("logaddexp")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] { return g.grad() * exp(g.value(0) - g.out()); });
      set_operand(g, 1, [&] { return g.grad() * exp(g.value(1) - g.out()); });
    })
    .autocast(Autocast::kFloat32)
    .numpy("np.logaddexp(input, other)")
    .samples("binary(only='float')")
    .rejects("ops.logaddexp(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("logaddexp2(input: Operand, other: Operand) -> Tensor")
    .doc("Base-2 logarithm of the sum of powers of two of two elements, computed without overflow.")
    .formula("out[i] = log2(2^input[i] + 2^other[i])")
    .see("ops.logaddexp")
    .method()
    .mint("logaddexp2")
    .numpy_function("logaddexp2")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] { return g.grad() * exp2(g.value(0) - g.out()); });
      set_operand(g, 1, [&] { return g.grad() * exp2(g.value(1) - g.out()); });
    })
    .autocast(Autocast::kFloat32)
    .numpy("np.logaddexp2(input, other)")
    .samples("binary(only='float')")
    .rejects("ops.logaddexp2(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("xlogy(input: Operand, other: Operand) -> Tensor")
    .doc("Product input · log(other) that is 0 where input is 0, even if other is 0.")
    .formula("out[i] = input[i] · log(other[i])", "input[i] ≠ 0")
    .formula("out[i] = 0", "input[i] = 0")
    .see("ops.log, ops.xdivy")
    .method()
    .primitive("Xlogy")
    .alias("x", "input")
    .alias("y", "other")
    .mint("xlogy")
    .elementwise(infer::floating)
    .grad([](GradCall& g) {
      set_operand(g, 0, [&] {
        const Value& x = g.value(0);
        return xlogy(cast(logarithm_counts(g, not_equal(x, 0)), x->dtype), g[1]) * g.grad();
      });
      set_operand(g, 1, [&] {
        const Value& y = g.value(1);
        const Value counts = logarithm_counts(g, g.is_value(0) ? not_equal(g.value(0), 0) : not_equal(y, y));
        return g.grad() * div(g.builder(), g[0], where(counts, y, 1));
      });
    })
    .numpy("special.xlogy(input, other)")
    .samples("binary(lo=0.2, hi=3, only='float')",
             "call(V([0.0, 0.0, 1.0], 'float32'), V([0.0, 2.0, 3.0], 'float32'))")
    .rejects("ops.xlogy(ones(2), ones(3))", "ValueError", "shapes (2,) and (3,) do not broadcast");

DYAD_OP("logit(input: Tensor, eps: float?=None) -> Tensor")
    .doc("Logit (log odds), log(x / (1 − x)), the inverse of `sigmoid`.")
    .formula("logit(x) = log(x / (1 − x))", "eps=None or eps < 0")
    .formula("logit(x) = log(z / (1 − z)), z = min(max(x, eps), 1 − eps)", "eps ≥ 0")
    .arg("input", "floats, any shape.")
    .arg("eps", "bound that keeps x away from 0 and 1; None: no bound.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.sigmoid")
    .method()
    .primitive("Logit(eps=-1.0)(input)")
    .compose([](const Call& c) {
      const bool limited = c.has(1) && c.real(1) >= 0;
      const Value x = limited ? clamp(c.value(0), c.real(1), 1.0 - c.real(1)) : c.value(0);
      return log(x) - log1p(-x);
    })
    .numpy("special.logit(np.clip(input, eps, 1 - eps) if eps else np.asarray(input))")
    .samples("unary(lo=0.1, hi=0.9, only='float')", "call(V([0.0, 0.3, 1.0], 'float32'), 0.1)")
    .rejects("ops.logit('a')", "TypeError", "logit: input is 'a'");

DYAD_OP("ldexp(x: Operand, other: Operand) -> Tensor")
    .doc("Multiplication by a power of two, x · 2^other, element by element.")
    .formula("out[i] = x[i] · 2^other[i]")
    .arg("x", "any numeric dtype, any shape.")
    .arg("other", "exponent, broadcasts with `x`.")
    .returns("Tensor with the broadcast shape; float32 for integers.")
    .see("ops.exp2")
    .method()
    .compose([](const Call& c) {
      const Value scale = c.is_value(1) ? exp2(c.value(1)) : pow(c.builder(), 2.0, c[1]);
      return mul(scale, c[0]);
    })
    .numpy("np.asarray(x) * np.exp2(np.asarray(other, dtype=np.float32))")
    .samples("call(T(2, 3), I(3), dtypes='float32')", "call(T(2, 3), T(3), dtypes='float32')")
    .rejects("ops.ldexp(ones(2), ones(3))", "ValueError", "shapes (3,) and (2,) do not broadcast");

}  // namespace dyad
