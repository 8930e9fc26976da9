#include <algorithm>

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/reduce/reduced_axes.h"
#include "ops/reduce/root.h"

namespace dyad {

namespace {

DYAD_USE(cast, mean, reshape, square, sum, var, var_mean);

Value floating(const Call& call) {
  const Value& input = call.value(0);
  if (is_complex(input->dtype)) {
    type_error(call.op(), ": the dtype ", input->dtype,
               " is not accepted; accepted are integer and floating dtypes");
  }
  return is_float(input->dtype) ? input : cast(input, DType::kFloat32);
}

/// Variance and mean: the mean first, then the squares of the distances from it, which does not cancel.
ValueList variance_and_mean(const Call& call) {
  const Value input = floating(call);
  const Ints axes = infer::axes(call, 1, input->rank());
  const Value center = mean(input, call[1], true);
  const Value spread = sum(square(input - center), call[1], call[3]);
  const Shape shape = infer::reduced(input->shape, axes, call.flag(3));
  const Arg count = reduced_count(input, axes);
  const Scalar* number = count.get<Scalar>();
  const Arg freedom = number ? Arg(std::max(number->to_double() - call.real(2), 0.0))
                             : Arg(*count.get<Value>() - call.real(2));
  return {spread / freedom, reshape(center, shape)};
}

}  // namespace

DYAD_OP("var(input: Tensor, axis: ints?=None, ddof: float=0, keepdims: bool=False) -> Tensor")
    .doc("Variance over the given axes, or over all of them. n is the number of elements and μ their mean.")
    .formula("var(x) = Σ |x − μ|² / (n − ddof)")
    .arg("input", "floats, any shape.")
    .arg("axis", "axes that are reduced; None: all.")
    .arg("ddof", "subtracted from n; True is 1.")
    .returns("Tensor without the reduced axes.")
    .see("ops.std, ops.var_mean")
    .function("var(input, axis=None, ddof=0, keepdims=False)")
    .method("var(axis=None, ddof=0, keepdims=False)")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .alias("keep_dims", "keepdims")
    .alias("correction", "ddof")
    .alias("unbiased", "ddof")
    .compose_wide([](const Call& call) { return variance_and_mean(call)[0]; })
    .autocast(Autocast::kFloat32)
    .numpy("np.var(input, axis=axis, ddof=ddof, keepdims=keepdims)")
    .samples("call(T(2, 3), dtypes='float')", "call(T(2, 3), axis=1, ddof=1)",
             "call(T(2, 3, 4), axis=(0, 2), keepdims=True)")
    .rejects("ops.var(ones(2, 3), 2)", "ValueError", "var: axis 2");

DYAD_OP("std(input: Tensor, axis: ints?=None, ddof: float=0, keepdims: bool=False) -> Tensor")
    .doc(
        "Standard deviation over the given axes, or over all of them. n is the number of elements and μ "
        "their mean.")
    .formula("std(x) = √(Σ |x − μ|² / (n − ddof))")
    .arg("input", "floats, any shape.")
    .arg("axis", "axes that are reduced; None: all.")
    .arg("ddof", "subtracted from n; True is 1.")
    .returns("Tensor without the reduced axes.")
    .see("ops.var, ops.std_mean")
    .function("std(input, axis=None, ddof=0, keepdims=False)")
    .method("std(axis=None, ddof=0, keepdims=False)")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .alias("keep_dims", "keepdims")
    .alias("correction", "ddof")
    .alias("unbiased", "ddof")
    .compose_wide([](const Call& call) { return safe_sqrt(variance_and_mean(call)[0]); })
    .autocast(Autocast::kFloat32)
    .numpy("np.std(input, axis=axis, ddof=ddof, keepdims=keepdims)")
    .samples("call(T(2, 3), dtypes='float')", "call(T(2, 3), axis=1, ddof=1)",
             "call(T(2, 3, 4), axis=(0, 2), keepdims=True)")
    .rejects("ops.std(ones(2, 3), 2)", "ValueError", "std: axis 2");

DYAD_OP("var_mean(input: Tensor, axis: ints?=None, ddof: float=0, keepdims: bool=False) -> (Tensor, Tensor)")
    .doc("Variance and mean over the given axes, or over all of them. n is the number of elements.")
    .formula("μ = Σ x / n, var(x) = Σ |x − μ|² / (n − ddof)")
    .arg("input", "floats, any shape.")
    .arg("axis", "axes that are reduced; None: all.")
    .arg("ddof", "subtracted from n; True is 1.")
    .returns("Tuple of the variance and the mean.")
    .see("ops.var, ops.mean")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .alias("correction", "ddof")
    .compose_wide([](const Call& call) { return variance_and_mean(call); })
    .autocast(Autocast::kFloat32)
    .numpy(
        "(np.var(input, axis=axis, ddof=ddof, keepdims=keepdims), np.mean(input, axis=axis, "
        "keepdims=keepdims))")
    .samples("call(T(2, 3))", "call(T(2, 3), axis=1, ddof=1, keepdims=True)")
    .rejects("ops.var_mean(ones(2, 3), 2)", "ValueError", "var_mean: axis 2");

DYAD_OP("std_mean(input: Tensor, axis: ints?=None, ddof: float=0, keepdims: bool=False) -> (Tensor, Tensor)")
    .doc("Standard deviation and mean over the given axes, or over all of them. n is the number of elements.")
    .formula("μ = Σ x / n, std(x) = √(Σ |x − μ|² / (n − ddof))")
    .arg("input", "floats, any shape.")
    .arg("axis", "axes that are reduced; None: all.")
    .arg("ddof", "subtracted from n; True is 1.")
    .returns("Tuple of the standard deviation and the mean.")
    .see("ops.std, ops.mean")
    .alias("dim", "axis")
    .alias("keepdim", "keepdims")
    .alias("correction", "ddof")
    .compose_wide([](const Call& call) -> ValueList {
      const ValueList found = variance_and_mean(call);
      return {safe_sqrt(found[0]), found[1]};
    })
    .autocast(Autocast::kFloat32)
    .numpy(
        "(np.std(input, axis=axis, ddof=ddof, keepdims=keepdims), np.mean(input, axis=axis, "
        "keepdims=keepdims))")
    .samples("call(T(2, 3))", "call(T(2, 3), axis=1, ddof=1, keepdims=True)")
    .rejects("ops.std_mean(ones(2, 3), 2)", "ValueError", "std_mean: axis 2");

DYAD_OP(
    "reduce_std(input: Tensor, axis: ints=(), unbiased: bool=True, keepdims: bool=False) -> (Tensor, Tensor)")
    .doc("Standard deviation and mean over the given axes. n is the number of elements.")
    .formula("μ = Σ x / n, std(x) = √(Σ (x − μ)² / (n − 1))", "unbiased=True")
    .formula("μ = Σ x / n, std(x) = √(Σ (x − μ)² / n)", "unbiased=False")
    .arg("input", "floats, any shape.")
    .arg("axis", "axes that are reduced; (): all.")
    .arg("unbiased", "whether the divisor is n − 1 instead of n.")
    .returns("Tuple of the standard deviation and the mean.")
    .see("ops.std_mean")
    .hidden()
    .primitive("ReduceStd(axis=(), unbiased=True, keep_dims:keepdims=False)(x:input)")
    .compose_wide([](const Call& call) -> ValueList {
      const ValueList found = var_mean.all(call.value(0), call[1], call.flag(2) ? 1 : 0, call[3]);
      return {safe_sqrt(found[0]), found[1]};
    })
    .numpy(
        "(np.std(input, axis=axis or None, ddof=int(unbiased), keepdims=keepdims), "
        "np.mean(input, axis=axis or None, keepdims=keepdims))")
    .samples("call(T(2, 3))", "call(T(2, 3), axis=1, unbiased=False, keepdims=True)")
    .rejects("ops.ReduceStd(2)(ones(2, 3))", "ValueError", "ReduceStd: axis 2");

}  // namespace dyad
