#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(arange, cast, cdist, conj, expand_dims, full, index_select, matmul, maximum, pow, reshape,
         select_view, sum, swapaxes, triangle_indices);

/// How much each observation counts, or an empty value if all count alike: frequencies times weights.
Value observation_weights(const Call& call, DType dtype, Dim observations) {
  Value joint;
  for (size_t at : {size_t{2}, size_t{3}}) {
    if (!call.has(at)) continue;
    const ValueImpl& weights = call.in(at);
    if (weights.rank() != 1 || !(weights.shape[0] == observations)) {
      value_error(call.op(), ": ", at == 2 ? "fweights" : "aweights", " have shape ", weights.shape,
                  "; there must be one for each of ", observations, " observations");
    }
    const Value factor = cast(call.value(at), dtype);
    joint = joint ? joint * factor : factor;
  }
  return joint;
}

/// (input, correction, fweights, aweights): rows are variables, columns are observations.
Value covariance(const Call& call) {
  const ValueImpl& input = call.in(0);
  if (input.rank() > 2)
    value_error(call.op(), ": input has shape ", input.shape, "; it must have at most 2 dimensions");
  if (call.has(2)) infer::require_dtype(call, 2, is_int(call.in(2).dtype), "integer dtypes");
  const DType dtype = is_float(input.dtype) || is_complex(input.dtype) ? input.dtype : DType::kFloat32;
  const Dim observations = input.rank() == 0 ? Dim(1) : input.shape.back();
  const Dim variables = input.rank() == 2 ? input.shape[0] : Dim(1);
  const Value rows = reshape(cast(call.value(0), dtype), Dims{variables, observations});
  const Value weights = observation_weights(call, dtype, observations);
  Value count = full(call.builder(), Dims{}, observations.value(), dtype);
  Value mean = sum(rows, Dims{1}, true) / count;
  Value divisor = count - call.real(1);
  if (weights) {
    count = sum(weights);
    mean = sum(rows * weights, Dims{1}, true) / count;
    // Weights that are not frequencies reduce the number of independent observations.
    const Value spent = call.has(3) ? sum(weights * cast(call.value(3), dtype)) / count
                                    : full(call.builder(), Dims{}, 1, dtype);
    divisor = count - spent * call.real(1);
  }
  if (!is_complex(dtype)) divisor = maximum(divisor, 0.0);
  const Value apart = rows - mean;
  const Value other = is_complex(dtype) ? conj(apart) : apart;
  const Value product = matmul(weights ? apart * weights : apart, swapaxes(other, 0, 1)) / divisor;
  return input.rank() == 2 ? product : reshape(product, Dims{});
}

}  // namespace

DYAD_OP("cov(input: Tensor, correction: int=1, fweights: Tensor?=None, aweights: Tensor?=None) -> Tensor")
    .doc(
        "Covariance matrix of variables, one per row of observations; for a single row, its variance. μ are "
        "the (weighted) means and w = fweights · aweights.")
    .formula("cov[i, j] = Σₖ (x[i, k] − μ[i]) · conj(x[j, k] − μ[j]) / (n − correction)",
             "no weights, n observations")
    .formula("cov[i, j] = Σₖ w[k] · (x[i, k] − μ[i]) · conj(x[j, k] − μ[j]) / d", "weights")
    .formula("d = Σw − correction · Σ(w · aweights) / Σw")
    .arg("input", "variables × observations, or one variable of shape (n,).")
    .arg("correction", "subtracted from the number of observations.")
    .arg("fweights", "integers ≥ 0 of shape (n,): how often each observation occurred.")
    .arg("aweights", "floats ≥ 0 of shape (n,): weight of each observation.")
    .returns("Tensor of shape (variables, variables), or () for one variable.")
    .see("ops.var")
    .function("cov(input, *, correction=1, fweights=None, aweights=None)")
    .method("cov(*, correction=1, fweights=None, aweights=None)")
    .compose_wide([](const Call& call) { return covariance(call); })
    .numpy("np.cov(input, ddof=correction, fweights=fweights, aweights=aweights)")
    .samples("call(T(3, 5))", "call(T(5))", "call(T(3, 5), 0)",
             "call(T(2, 4), fweights=V([1, 2, 1, 3], 'int64'))",
             "call(T(2, 4), aweights=V([0.5, 1.0, 0.25, 2.0], 'float32'))",
             "call(T(2, 4), 1, V([1, 2, 1, 3], 'int64'), V([0.5, 1.0, 0.25, 2.0], 'float32'))")
    .rejects("ops.cov(ones(2, 3, 4))", "ValueError", "it must have at most 2 dimensions")
    .rejects("ops.cov(ones(2, 3), fweights=ints(2))", "ValueError",
             "there must be one for each of 3 observations");

DYAD_OP("pdist(input: Tensor, p: float=2.0) -> Tensor")
    .primitive("Pdist(p=2.0)(x:input)")
    .doc("Pairwise distances: the p-norm of the difference of every two rows i < j of a matrix.")
    .formula("out[k] = (Σₘ |x[i, m] − x[j, m]|ᵖ)^(1/p), k-th pair of (0, 1), (0, 2), …, (1, 2), …")
    .arg("input", "floats of shape (*batch, n, m).")
    .arg("p", "order of the norm, 0 to inf.")
    .returns("Tensor of shape (*batch, n(n − 1)/2).")
    .see("ops.cdist")
    .compose_wide([](const Call& call) -> Value {
      const ValueImpl& input = call.in(0);
      if (input.rank() < 2)
        value_error(call.op(), ": input has shape ", input.shape, "; it must have at least 2 dimensions");
      const int64_t rows = input.shape[input.shape.size() - 2].value();
      const Value pairs = triangle_indices(call.builder(), rows, rows, 1, DType::kInt64, true);
      const Value first = index_select(call.value(0), -2, select_view(pairs, 0, 0));
      const Value second = index_select(call.value(0), -2, select_view(pairs, 0, 1));
      const Value distances = cdist(expand_dims(first, -2), expand_dims(second, -2), call[1]);
      return reshape(distances, Dims(distances->shape.begin(), distances->shape.end() - 2));
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.pdist(input, p)")
    .samples("call(T(4, 3))", "call(T(2, 3, 4), 1.0)", "call(T(4, 3), 3.0)", "call(T(4, 3), float('inf'))",
             "call(T(1, 3))")
    .rejects("ops.pdist(ones(3))", "ValueError",
             "pdist: input has shape (3,); it must have at least 2 dimensions")
    .rejects("ops.pdist(ones(3, 2), -1.0)", "ValueError", "p is -1");

DYAD_OP("vander(x: Tensor, N: int?=None) -> Tensor")
    .doc("Vandermonde matrix: each row has the powers of one element, from N − 1 down to 0.")
    .formula("out[i, j] = x[i] ^ (N − 1 − j)")
    .arg("x", "numbers of shape (n,).")
    .arg("N", "number of columns; None: n.")
    .returns("Tensor of shape (n, N) with the dtype of `x`.")
    .compose([](const Call& call) -> Value {
      infer::require_rank(call, 0, 1, "x");
      const int64_t count = call.has(1) ? call.integer(1) : call.in(0).shape[0].value();
      if (count < 0) value_error(call.op(), ": N is ", count, "; it must be 0 or more");
      const Value powers = cast(arange(call.builder(), count - 1, -1, -1, DType::kInt64), call.in(0).dtype);
      return pow(expand_dims(call.value(0), 1), powers);
    })
    .numpy("np.vander(x, N)")
    .samples("call(T(3))", "call(T(3), 5)", "call(I(4))", "call(T(3), 0)", "call(T(3), 4, dtypes='float')",
             "call(V([0.0, 1.0, -2.0], 'float32'), 3)")
    .rejects("ops.vander(ones(2, 2))", "ValueError", "it must have 1 dimensions")
    .rejects("ops.vander(ones(2), -1)", "ValueError", "N is -1");

}  // namespace dyad
