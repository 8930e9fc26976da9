#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/random/infer_random.h"

namespace dyad {

namespace {

DYAD_USE(standard_gamma, standard_poisson, broadcast_to, cast, exp, full, igamma_slope, lgamma, log, sum_to);

/// One draw per element of `shape` and of the parameter: their shapes joined.
void infer_per_parameter(const Arguments& args, Results& results) {
  infer::require_sizes(args, 0);
  infer::require_dtype(args, 1, is_float(args.in(1).dtype), "float dtypes");
  Shape shape = args.dims(0);
  for (Dim size : args.in(1).shape) shape.push_back(size);
  results.add(args.dtype(2, args.in(1).dtype), shape);
}

Value as_tensor(const Call& call, size_t i) {
  if (call.is_value(i)) return call.value(i);
  return full(call.builder(), Dims{}, call[i], DType::kFloat32);
}

}  // namespace

DYAD_OP("standard_gamma(shape: ints, alpha: Tensor, dtype: dtype?=None, seed: int?=None) -> Tensor")
    .hidden()
    .doc("Gamma distribution with rate 1: draws of the given shape for each alpha.")
    .formula("density(x) = xᵃ⁻¹ e⁻ˣ / Γ(a), x > 0, a = alpha")
    .arg("shape", "shape of the draws for each alpha.")
    .arg("alpha", "a > 0, floats, any shape.")
    .arg("dtype", "a float dtype; None: that of `alpha`.")
    .returns("Tensor of shape shape + alpha.shape.")
    .see("ops.gamma")
    .function("random_gamma(shape, alpha, seed=None)")
    .infer(infer_per_parameter)
    .random()
    .grad([](GradCall& g) {
      // The draw moves so that its quantile stays: P(alpha, z) is constant.
      const Value& z = g.out();
      const Value alpha = cast(broadcast_to(g.value(1), z->shape), z->dtype);
      const Value density = exp((alpha - 1) * log(z) - z - lgamma(alpha));
      g.set(1, cast(sum_to(-(g.grad() * igamma_slope(alpha, z)) / density, g.value(1)), g.in(1).dtype));
    })
    .batch(batch::drawn)
    .cost_per_result(30)
    .samples("call((3,), F(2, lo=0.5, hi=3))")
    .rejects("ops.random_gamma((2,), -ones(2))", "ValueError", "every alpha must be above 0");

DYAD_OP("standard_poisson(shape: ints, rate: Tensor, dtype: dtype?=None, seed: int?=None) -> Tensor")
    .hidden()
    .doc("Numbers from Poisson distributions: the given shape of draws for each rate.")
    .infer(infer_per_parameter)
    .random()
    .no_grad("counts are integers")
    .batch(batch::drawn)
    .cost_per_result(30)
    .samples("call((3,), F(2, lo=0.5, hi=40))")
    .rejects("ops.random_poisson((2,), -ones(2))", "ValueError", "every rate must be 0 or more");

DYAD_OP("random_poisson(shape: ints, rate: Tensor, seed: int?=None, dtype: dtype=float32) -> Tensor")
    .doc("Poisson distribution: draws of the given shape for each rate.")
    .formula("P(out = k) = rateᵏ · exp(−rate) / k!, k = 0, 1, 2, …")
    .arg("shape", "shape of the draws for each rate.")
    .arg("rate", "mean, real numbers ≥ 0, any shape.")
    .arg("dtype", "the dtype of the result.")
    .returns("Tensor of shape shape + rate.shape.")
    .see("ops.poisson")
    .compose([](const Call& call) {
      const DType given = call.in(1).dtype;
      const DType wanted = call.dtype(3, DType::kFloat32);
      infer::require_dtype(call, 1, is_float(given) || (is_int(given) && !is_bool(given)), "real numbers");
      if (is_bool(wanted) || is_complex(wanted))
        type_error(call.op(), ": the dtype ", wanted, " is not accepted; accepted are those of real numbers");
      const Value rate = is_float(given) ? call.value(1) : cast(call.value(1), DType::kFloat32);
      return standard_poisson(call[0], rate, wanted, call[2]);
    })
    .random()
    .no_grad("counts are integers")
    .samples("call((3,), F(2, lo=0.5, hi=40))", "call((3,), V([1, 7], 'int64'), None, dyad.int32)")
    .rejects("ops.random_poisson((2,), ones(2), None, dyad.bool_)", "TypeError", "the dtype Bool");

DYAD_OP("gamma(shape: ints, alpha: Operand, beta: Operand, seed: int?=None) -> Tensor")
    .doc("Gamma distribution: draws of the given shape for each pair of alpha and beta.")
    .formula("density(x) = βᵃ xᵃ⁻¹ exp(−βx) / Γ(a), x > 0, a = alpha, β = beta")
    .arg("shape", "shape of the draws for each pair.")
    .arg("alpha", "shape parameter, > 0.")
    .arg("beta", "rate, > 0, broadcasts with `alpha`.")
    .returns("Tensor of float32 and shape shape + broadcast shape of alpha and beta.")
    .see("ops.poisson")
    .compose([](const Call& call) {
      const Value alpha = as_tensor(call, 1);
      const Value beta = as_tensor(call, 2);
      const Value pairs = alpha + beta * 0.0;
      return standard_gamma(call[0], cast(pairs, DType::kFloat32), DType::kFloat32, call[3]) / beta;
    })
    .random()
    .samples("call((3,), F(2, lo=0.5, hi=3), F(2, lo=1, hi=2))")
    .rejects("ops.gamma((2,), -1.0, 1.0)", "ValueError", "every alpha must be above 0");

DYAD_OP("poisson(shape: ints, mean: Operand, seed: int?=None) -> Tensor")
    .doc("Poisson distribution: int32 draws of the given shape for each mean.")
    .formula("P(out = k) = meanᵏ · exp(−mean) / k!, k = 0, 1, 2, …")
    .arg("shape", "shape of the draws for each mean.")
    .arg("mean", "real numbers > 0.")
    .returns("Tensor of int32 and shape shape + mean.shape.")
    .see("ops.random_poisson")
    .compose([](const Call& call) {
      return standard_poisson(call[0], cast(as_tensor(call, 1), DType::kFloat32), DType::kInt32, call[2]);
    })
    .random()
    .no_grad("integer result")
    .samples("call((3,), F(2, lo=0.5, hi=40))")
    .rejects("ops.poisson((2,), -1.0)", "ValueError", "every rate must be 0 or more");

}  // namespace dyad
