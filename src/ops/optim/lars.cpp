#include "base/error.h"
#include "ops/call.h"
#include "ops/optim/step.h"

namespace dyad {

namespace {

DYAD_USE(greater, logical_and, minimum, ones_like, sqrt, where);

struct Trust {
  double epsilon;
  double coefficient;
  Value rate;  ///< empty: the trust is not clipped
};

/// The gradient with weight decay, scaled by the ratio of the norms of weight and gradient.
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

void infer_lars(const Arguments& args, Results& results) {
  optim::require_lists(args, 2);
  optim::require_settings(args, 2, "decays", true);
  optim::require_settings(args, 3, "learning_rates", true);
  const ValueList& gradients = args.values(1);
  for (Dim layer : args.dims(4)) {
    if (layer.value() < 0 || layer.value() >= static_cast<int64_t>(gradients.size())) {
      index_error(args.op(), ": layers has the position ", layer, " of ", gradients.size(), " gradients");
    }
  }
  for (const Value& gradient : gradients) results.add(gradient->dtype, gradient->shape);
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
    .infer(infer_lars)
    .no_grad(optim::kNoGradient)
    .cost(6)
    .numpy(
        "ref.lars_gradients(params, gradients, decays, learning_rates, layers, epsilon, coefficient, scale)")
    .samples("call([T(2, 3), T(5)], [T(2, 3), T(5)], [F(lo=0, hi=1)], [], [0, 1])",
             "call([T(0, 3), strided(T(4, 6))], [T(0, 3), strided(T(4, 6))], [F(lo=0, hi=1)], [], [0, 1])",
             "call([T(2, 3), T(5)], [T(2, 3), T(5)], [], [F(lo=0.1, hi=1)], [1], 0.1, 0.5, 2.0)")
    .rejects("dyad._core.named_op('lars_gradients')([ones(2)], [ones(3)], [], [], [])", "ValueError",
             "gradient 0 has shape (3,) and its parameter has shape (2,)")
    .rejects("dyad._core.named_op('lars_gradients')([ones(2)], [ones(2)], [], [], [1])", "IndexError",
             "lars_gradients: layers has the position 1 of 1 gradients");

DYAD_OP(
    "lars_update(weight: Tensor, gradient: Tensor, norm_weight: Tensor, norm_gradient: Tensor, "
    "weight_decay: Operand, learning_rate: Operand, epsilon: float=1e-5, hyperpara: float=0.001, "
    "use_clip: bool=False) -> Tensor")
    .doc("LARS (layer-wise adaptive rate scaling) gradient. If a norm is 0 the factor is 1.")
    .formula("‖w‖ = √norm_weight, ‖g‖ = √norm_gradient")
    .formula("trust = hyperpara · ‖w‖ / (‖g‖ + weight_decay · ‖w‖ + epsilon)")
    .formula("trust = min(trust / learning_rate, 1)", "use_clip=True")
    .formula("out = trust · (gradient + weight_decay · weight)")
    .arg("weight", "the parameter, floats.")
    .arg("gradient", "of the shape of `weight`.")
    .arg("norm_weight", "sum of squares of the weight.")
    .arg("norm_gradient", "sum of squares of the gradient.")
    .arg("weight_decay", "weight decay.")
    .arg("learning_rate", "learning rate, for `use_clip`.")
    .arg("epsilon", "added to the divisor.")
    .arg("hyperpara", "trust coefficient.")
    .arg("use_clip", "whether the factor is limited by the learning rate.")
    .returns("Tensor with the shape of `gradient`.")
    .see("nn.LARS")
    .reference("arXiv:1708.03888")
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
