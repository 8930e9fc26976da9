#include <algorithm>

#include "base/error.h"
#include "ops/call.h"
#include "ops/optim/step.h"

namespace dyad {

namespace {

DYAD_USE(cast)
DYAD_USE(greater)
DYAD_USE(logical_and)
DYAD_USE(minimum)
DYAD_USE(ones_like)
DYAD_USE(sqrt)
DYAD_USE(square)
DYAD_USE(sum)
DYAD_USE(where)

Value widened(const Value& value) {
  return value->dtype == DType::kFloat64 || value->dtype == DType::kFloat32 ? value
                                                                            : cast(value, DType::kFloat32);
}

struct Trust {
  double epsilon;
  double coefficient;
  Value rate;  ///< empty: the trust is not clipped
};

/// The gradient with weight decay, scaled by how far the norms of the weight and of the gradient let it go.
Value trusted(const Value& weight, const Value& gradient, const Value& weight_squares,
              const Value& gradient_squares, const Arg& decay, const Trust& settings) {
  const Value weight_norm = sqrt(weight_squares);
  const Value gradient_norm = sqrt(gradient_squares);
  Value trust = weight_norm * settings.coefficient / (gradient_norm + weight_norm * decay + settings.epsilon);
  const Value known = logical_and(greater(weight_norm, 0.0), greater(gradient_norm, 0.0));
  trust = where(known, trust, ones_like(trust));
  if (settings.rate) trust = minimum(trust / settings.rate, 1.0);
  return (gradient + weight * decay) * trust;
}

ValueList scaled_layers(const Call& call) {
  optim::require_lists(call, 2);
  optim::require_settings(call, 2, "decays", true);
  optim::require_settings(call, 3, "learning_rates", true);
  const Dims& layers = call.dims(4);
  ValueList results = call.values(1);
  for (size_t i = 0; i < results.size(); ++i) {
    const DType dtype = results[i]->dtype;
    Value gradient = widened(results[i]) * call.real(7);
    if (std::ranges::find(layers, Dim(static_cast<int64_t>(i))) != layers.end()) {
      const Value weight = widened(call.values(0)[i]);
      auto entry = [&](size_t list) {
        const ValueList& members = call.values(list);
        return members.empty() ? Value() : members[members.size() == 1 ? 0 : i];
      };
      const Value decay = entry(2);
      gradient = trusted(weight, gradient, sum(square(weight)), sum(square(gradient)),
                         decay ? Arg(decay) : Arg(0.0), {call.real(5), call.real(6), entry(3)});
    }
    results[i] = gradient->dtype == dtype ? gradient : cast(gradient, dtype);
  }
  return results;
}

}  // namespace

DYAD_OP(
    "lars_gradients(params: Tensors, gradients: Tensors, decays: Tensors, learning_rates: Tensors, "
    "layers: ints, epsilon: float=1e-5, coefficient: float=0.001, scale: float=1.0) -> Tensors")
    .doc(
        "Layer-wise adaptive rates: the scaled gradients, and those at the positions of layers with weight "
        "decay and multiplied by coefficient * |p| / (|g| + decay * |p| + epsilon). Where learning rates are "
        "given, that factor over the rate is at most 1.")
    .hidden()
    .compose([](const Call& call) { return scaled_layers(call); })
    .numpy(
        "ref.lars_gradients(params, gradients, decays, learning_rates, layers, epsilon, coefficient, scale)")
    .samples("call([T(2, 3), T(5)], [T(2, 3), T(5)], [F(lo=0, hi=1)], [], [0, 1])",
             "call([T(2, 3), T(5)], [T(2, 3), T(5)], [], [F(lo=0.1, hi=1)], [1], 0.1, 0.5, 2.0)")
    .rejects("dyad._core.named_op('lars_gradients')([ones(2)], [ones(3)], [], [], [])", "ValueError",
             "gradient 0 has shape (3,) and its parameter has shape (2,)");

DYAD_OP(
    "lars_update(weight: Tensor, gradient: Tensor, norm_weight: Tensor, norm_gradient: Tensor, "
    "weight_decay: Operand, learning_rate: Operand, epsilon: float=1e-5, hyperpara: float=0.001, "
    "use_clip: bool=False) -> Tensor")
    .doc(
        "The gradient with weight decay times hyperpara * |w| / (|g| + weight_decay * |w| + epsilon); "
        "norm_weight and norm_gradient are the sums of squares. With use_clip that factor over the rate is "
        "at "
        "most 1.")
    .hidden()
    .primitive(
        "LARSUpdate(epsilon=1e-05, hyperpara=0.001, use_clip=False)(weight, gradient, norm_weight, "
        "norm_gradient, weight_decay, learning_rate)")
    .compose([](const Call& call) {
      Value rate;
      if (call.flag(8)) rate = call.is_value(5) ? call.value(5) : ones_like(call.value(2)) * call[5];
      return trusted(call.value(0), call.value(1), call.value(2), call.value(3), call[4],
                     {call.real(6), call.real(7), rate});
    })
    .numpy(
        "ref.lars_update(weight, gradient, norm_weight, norm_gradient, weight_decay, learning_rate, epsilon, "
        "hyperpara, use_clip)")
    .samples("call(T(2, 3), T(2, 3), F(lo=1, hi=2), F(lo=1, hi=2), 0.1, 0.01)",
             "call(T(2, 3), T(2, 3), F(lo=1, hi=2), F(lo=1, hi=2), 0.1, 0.01, use_clip=True)")
    .rejects("ops.LARSUpdate()(ones(2), ones(3), ones(), ones(), 0.1, 0.1)", "ValueError",
             "shapes (3,) and (2,) do not broadcast");

}  // namespace dyad
