#include "ops/optim/step.h"

namespace dyad {

namespace {

void infer_momentum(const Arguments& args, Results&) {
  optim::require_lists(args, 3);
  optim::require_settings(args, 3, "learning_rates");
  optim::require_settings(args, 4, "decays", true);
  optim::require_number(args, args.value(5), "momentum");
}

void infer_sgd(const Arguments& args, Results&) {
  optim::require_lists(args, 4);
  optim::require_settings(args, 4, "learning_rates");
  optim::require_settings(args, 5, "decays", true);
  optim::require_number(args, args.value(6), "momentum");
}

}  // namespace

DYAD_OP(
    "momentum_step(params: Tensors, gradients: Tensors, moments: Tensors, learning_rates: Tensors, "
    "decays: Tensors, momentum: Tensor, scale: float=1.0, nesterov: bool=False) -> None")
    .doc(
        "Moves parameters along a velocity that gathers their gradients: v = momentum * v + g, p -= rate * "
        "v.")
    .hidden()
    .updates({0, 2})
    .infer(infer_momentum)
    .no_grad(optim::kNoGradient)
    .cost(4)
    .samples("call([T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3), T(5)], [F()], [], F(), dtypes='float')")
    .rejects("dyad._core.named_op('momentum_step')([ones(2)], [ones(3)], [ones(2)], [ones()], [], ones())",
             "ValueError", "gradient 0 has shape (3,) and its parameter has shape (2,)");

DYAD_OP(
    "sgd_step(params: Tensors, gradients: Tensors, moments: Tensors, fresh: Tensors, "
    "learning_rates: Tensors, decays: Tensors, momentum: Tensor, dampening: float=0.0, scale: float=1.0, "
    "nesterov: bool=False) -> None")
    .doc(
        "Gradient descent with momentum and dampening; fresh is 1 where the velocity has not been set yet. "
        "Without momentum the states stay as they are.")
    .hidden()
    .updates({0, 2, 3})
    .infer(infer_sgd)
    .no_grad(optim::kNoGradient)
    .cost(4)
    .samples(
        "call([T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3), T(5)], [F()], [], F(), "
        "dtypes='float')")
    .rejects(
        "dyad._core.named_op('sgd_step')([ones(2)], [ints(2)], [ones(2)], [ones(2)], [ones()], [], ones())",
        "TypeError", "gradient 0 has dtype Int64; need a float dtype");

}  // namespace dyad
