#include "base/error.h"
#include "ops/optim/step.h"

namespace dyad {

namespace {

void infer_adam(const Arguments& args, Results&) {
  optim::require_lists(args, 5, true);
  const ValueList& powers = args.values(5);
  if (powers.size() != 2) value_error(args.op(), ": powers has ", powers.size(), " entries; need two");
  for (const Value& power : powers) optim::require_number(args, power, "powers");
  optim::require_settings(args, 6, "learning_rates");
  optim::require_settings(args, 7, "decays", true);
  optim::require_count(args, 8, "betas", 2);
}

void infer_adam_weight_decay(const Arguments& args, Results&) {
  optim::require_lists(args, 4);
  optim::require_settings(args, 4, "learning_rates");
  optim::require_settings(args, 5, "decays", true);
  optim::require_count(args, 6, "betas", 2);
}

}  // namespace

DYAD_OP(
    "adam_step(params: Tensors, gradients: Tensors, moment1: Tensors, moment2: Tensors, largest: Tensors, "
    "powers: Tensors, learning_rates: Tensors, decays: Tensors, betas: floats, epsilon: float=1e-8, "
    "scale: float=1.0, nesterov: bool=False) -> None")
    .doc(
        "Adam: parameters move by the running mean of their gradients over the root of that of the squares, "
        "both corrected by the powers of the betas, which the step multiplies on. With largest (AMSGrad) the "
        "root is that of the largest mean of squares so far.")
    .hidden()
    .updates({0, 2, 3, 4, 5})
    .infer(infer_adam)
    .no_grad(optim::kNoGradient)
    .cost(12)
    .samples(
        "call([T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3, lo=0), T(5, lo=0)], [], "
        "[F(lo=0.5, hi=0.9), F(lo=0.5, hi=0.9)], [F()], [], [0.9, 0.99], dtypes='float')")
    .rejects(
        "dyad._core.named_op('adam_step')([ones(2)], [ones(2)], [ones(2)], [], [], [ones(), ones()], "
        "[ones()], [], [0.9, 0.99])",
        "ValueError", "there are 0 states and 1 parameters");

DYAD_OP(
    "adam_weight_decay_step(params: Tensors, gradients: Tensors, moment1: Tensors, moment2: Tensors, "
    "learning_rates: Tensors, decays: Tensors, betas: floats, epsilon: float=1e-6) -> None")
    .doc(
        "Adam without correction of the means, whose weight decay acts on the parameters beside the "
        "gradient: p -= rate * (m / (sqrt(v) + epsilon) + decay * p).")
    .hidden()
    .updates({0, 2, 3})
    .infer(infer_adam_weight_decay)
    .no_grad(optim::kNoGradient)
    .cost(14)
    .samples(
        "call([T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3, lo=0), T(5, lo=0)], [F()], [], "
        "[0.9, 0.99], dtypes='float')")
    .rejects(
        "dyad._core.named_op('adam_weight_decay_step')([ones(2)], [ones(2)], [ones(2)], [ones(2)], "
        "[ones(3)], [], [0.9, 0.99])",
        "ValueError", "learning_rates has shape (3,); need a Tensor of one number");

}  // namespace dyad
