#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/random/infer_random.h"

namespace dyad {

namespace {

DYAD_USE(random_normal, random_uniform, cast, log1p, sign, abs, exp, mul, random_cauchy, tan);

Shape shape_with(const Call& call, size_t a, size_t b) {
  Shape shape = call.dims(0);
  if (call.is_value(a)) shape = broadcast(call.op(), shape, call.in(a).shape);
  if (call.is_value(b)) shape = broadcast(call.op(), shape, call.in(b).shape);
  return shape;
}

/// Inverse of the distribution function, centered at 0.
Value standard_laplace_of(const Call& call, const Shape& shape, const Arg& seed) {
  const Value u = random_uniform(call.builder(), shape, -0.5, 0.5, DType::kFloat32, seed);
  return -(sign(u) * log1p(abs(u) * -2.0));
}

}  // namespace

DYAD_OP("random_normal(shape: ints, dtype: dtype?=None, seed: int?=None) -> Tensor")
    .hidden()
    .doc("Standard normal distribution: mean 0, standard deviation 1.")
    .formula("density(x) = exp(−x² / 2) / √(2π)")
    .arg("shape", "shape of the result.")
    .arg("dtype", "a float dtype; None: float32.")
    .returns("Tensor of shape `shape`.")
    .see("ops.normal, ops.randn_like")
    .function("standard_normal(shape, seed=None)")
    .function("randn(*size:shape, dtype=None, seed=None)")
    .mint("randn")
    .infer([](const Arguments& args, Results& results) { infer::random_floats(args, results, 1); })
    .random()
    .no_grad("the result does not depend on a tensor")
    .batch(batch::drawn)
    .cost_per_result(8)
    .samples("call((3, 4))", "call((0,))", "call(())")
    .rejects("ops.randn(2, -3)", "ValueError", "negative size")
    .rejects("ops.randn(2, dtype=dyad.int32)", "TypeError", "the dtype Int32 is not accepted");

DYAD_OP("random_standard_normal(shape: ints, seed: int=0, seed2: int=0) -> Tensor")
    .hidden()
    .doc("Standard normal distribution in float32: mean 0, standard deviation 1.")
    .formula("density(x) = exp(−x² / 2) / √(2π)")
    .arg("shape", "shape of the result.")
    .returns("Tensor of float32 and shape `shape`.")
    .see("ops.normal")
    .primitive("StandardNormal(seed=0, seed2=0)(shape)")
    .compose([](const Call& call) {
      return random_normal(call.builder(), call[0], DType::kFloat32, call[1]);
    })
    .random()
    .no_grad("the result does not depend on a tensor")
    .samples("call((2, 3))")
    .rejects("ops.StandardNormal()((2, -3))", "ValueError", "negative size");

DYAD_OP("randn_like(input: Tensor, seed: int?=None, dtype: dtype?=None) -> Tensor")
    .doc("Standard normal distribution in the shape of another tensor.")
    .formula("density(x) = exp(−x² / 2) / √(2π)")
    .arg("input", "its shape and dtype are read.")
    .arg("dtype", "a float dtype; None: that of `input`, float32 if it is not a float.")
    .returns("Tensor with the shape of `input`.")
    .see("ops.randn, ops.rand_like")
    .function("randn_like(input, seed=None, *, dtype=None)")
    .mint("randn_like")
    .compose([](const Call& call) {
      const DType own = is_float(call.in(0).dtype) ? call.in(0).dtype : DType::kFloat32;
      return random_normal(call.builder(), call.in(0).shape, call.dtype(2, own), call[1]);
    })
    .random()
    .no_grad("the result does not depend on the values of the input")
    .samples("call(T(2, 3))")
    .rejects("ops.randn_like(3)", "TypeError", "randn_like: input is 3");

DYAD_OP("normal(shape: ints, mean: Operand, stddev: Operand, seed: int?=None) -> Tensor")
    .doc("Normal distribution with the given mean and standard deviation.")
    .formula("density(x) = exp(−(x − mean)² / (2 · stddev²)) / (stddev · √(2π))")
    .arg("shape", "shape that broadcasts with the parameters.")
    .arg("mean", "mean.")
    .arg("stddev", "standard deviation.")
    .returns("Tensor of float32 with the broadcast shape.")
    .see("ops.randn")
    .compose([](const Call& call) {
      const Value drawn = random_normal(call.builder(), shape_with(call, 1, 2), DType::kFloat32, call[3]);
      return drawn * call[2] + call[1];
    })
    .random()
    .samples("call((2, 3), 1.0, 2.0)", "call((2, 3), F(3), F(2, 1, lo=1, hi=2))")
    .rejects("ops.normal((2, 3), ones(4), 1.0)", "ValueError", "do not broadcast");

DYAD_OP("log_normal(input: Tensor, mean: float=1.0, std: float=2.0) -> Tensor")
    .doc("Log-normal distribution: exponentials of normally distributed numbers.")
    .formula("out = exp(mean + std · z), z ~ N(0, 1)")
    .arg("input", "its shape and dtype are read; floats.")
    .arg("mean", "mean of the logarithms.")
    .arg("std", "standard deviation of the logarithms.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.normal")
    .hidden()
    .method("log_normal(mean=1.0, std=2.0)")
    .primitive("LogNormalReverse(mean=1.0, std=2.0)(input)")
    .compose([](const Call& call) {
      infer::require_dtype(call, 0, is_float(call.in(0).dtype), "float dtypes");
      const Value drawn = random_normal(call.builder(), call.in(0).shape, DType::kFloat32);
      return cast(exp(mul(drawn, call[2]) + call[1]), call.in(0).dtype);
    })
    .random()
    .no_grad("the result does not depend on the values of the input")
    .samples("call(T(2, 3))", "call(T(2, 3), 0.0, 0.5)")
    .rejects("ints(2).log_normal()", "TypeError", "accepted are float dtypes");

DYAD_OP("random_cauchy(size: ints, median: float=0.0, sigma: float=1.0) -> Tensor")
    .doc("Cauchy distribution in float32.")
    .formula("density(x) = 1 / (π · sigma · (1 + ((x − median) / sigma)²))")
    .arg("size", "shape of the result.")
    .arg("median", "middle of the distribution.")
    .arg("sigma", "half-width at half maximum, > 0.")
    .returns("Tensor of float32 and shape `size`.")
    .hidden()
    .primitive("Cauchy(size, median=0.0, sigma=1.0)()")
    .compose([](const Call& call) {
      infer::require_sizes(call, 0);
      if (!(call.real(2) > 0)) value_error(call.op(), ": sigma is ", call.real(2), "; it must be above 0");
      constexpr double kPi = 3.14159265358979323846;
      const Value u = random_uniform(call.builder(), call[0], -0.5, 0.5, DType::kFloat32);
      return mul(tan(mul(u, kPi)), call[2]) + call[1];
    })
    .random()
    .no_grad("the result does not depend on a tensor")
    .samples("call((2, 3))", "call((4,), 1.0, 0.5)")
    .rejects("ops.Cauchy((2,), 0.0, -1.0)()", "ValueError", "sigma is -1.0; it must be above 0");

DYAD_OP("cauchy(input: Tensor, median: float=0.0, sigma: float=1.0) -> Tensor")
    .doc("Cauchy distribution in the shape and dtype of another tensor.")
    .formula("density(x) = 1 / (π · sigma · (1 + ((x − median) / sigma)²))")
    .arg("input", "its shape and dtype are read; floats.")
    .arg("median", "middle of the distribution.")
    .arg("sigma", "half-width at half maximum, > 0.")
    .returns("Tensor with the shape and dtype of `input`.")
    .hidden()
    .method("cauchy(median=0.0, sigma=1.0)")
    .compose([](const Call& call) {
      infer::require_dtype(call, 0, is_float(call.in(0).dtype), "float dtypes");
      return cast(random_cauchy(call.builder(), call.in(0).shape, call[1], call[2]), call.in(0).dtype);
    })
    .random()
    .no_grad("the result does not depend on the values of the input")
    .samples("call(T(2, 3))", "call(T(2, 3), 1.0, 0.5)")
    .rejects("ints(2).cauchy()", "TypeError", "accepted are float dtypes");

DYAD_OP("standard_laplace(shape: ints, seed: int?=None, seed2: int=0) -> Tensor")
    .doc("Standard Laplace distribution: mean 0, scale 1.")
    .formula("density(x) = exp(−|x|) / 2")
    .arg("shape", "shape of the result.")
    .returns("Tensor of float32 and shape `shape`.")
    .see("ops.laplace")
    .function("standard_laplace(shape, seed=None)")
    .primitive("StandardLaplace(seed=0, seed2=0)(shape)")
    .compose([](const Call& call) {
      infer::require_sizes(call, 0);
      return standard_laplace_of(call, call.dims(0), call[1]);
    })
    .random()
    .no_grad("the result does not depend on a tensor")
    .samples("call((2, 3))")
    .rejects("ops.standard_laplace((2, -1))", "ValueError", "negative size");

DYAD_OP("laplace(shape: ints, mean: Operand, lambda_param: Operand, seed: int?=None) -> Tensor")
    .doc("Laplace distribution with the given mean and scale.")
    .formula("density(x) = exp(−|x − mean| / λ) / (2λ), λ = lambda_param")
    .arg("shape", "shape that broadcasts with the parameters.")
    .arg("mean", "mean.")
    .arg("lambda_param", "scale, > 0.")
    .returns("Tensor of float32 with the broadcast shape.")
    .see("ops.standard_laplace")
    .compose([](const Call& call) {
      return standard_laplace_of(call, shape_with(call, 1, 2), call[3]) * call[2] + call[1];
    })
    .random()
    .samples("call((2, 3), 0.0, 1.0)", "call((2, 3), F(3), F(2, 1, lo=1, hi=2))")
    .rejects("ops.laplace((2, 3), ones(4), 1.0)", "ValueError", "do not broadcast");

DYAD_OP(
    "random_truncated_normal(shape: ints, low: float=-2.0, high: float=2.0, dtype: dtype?=None, seed: "
    "int?=None) "
    "-> Tensor")
    .hidden()
    .doc(
        "Numbers from the normal distribution of mean 0 and deviation 1, those outside [low, high] drawn "
        "again.")
    .infer([](const Arguments& args, Results& results) {
      if (!(args.real(1) < args.real(2))) {
        value_error(args.op(), ": low is ", args.real(1), " and high is ", args.real(2),
                    "; low must be below high");
      }
      infer::random_floats(args, results, 3);
    })
    .random()
    .no_grad("the result does not depend on a tensor")
    .batch(batch::drawn)
    .cost_per_result(10)
    .samples("call((3, 4))", "call((5,), -1.0, 0.5)")
    .rejects("ops.TruncatedNormal()((-1,))", "ValueError", "negative size");

}  // namespace dyad
