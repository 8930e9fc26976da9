#include "ops/optim/step.h"

namespace dyad {

namespace {

/// Learning rates and decays, which follow the lists.
void require_rates(const Arguments& args, size_t rates) {
  optim::require_settings(args, rates, "learning_rates");
  optim::require_settings(args, rates + 1, "decays", true);
}

void infer_one_state(const Arguments& args, Results&) {
  optim::require_lists(args, 3);
  require_rates(args, 3);
}

void infer_adagrad(const Arguments& args, Results& results) {
  infer_one_state(args, results);
  if (args.has(8)) optim::require_number(args, args.value(8), "step");
}

void infer_two_states(const Arguments& args, Results&) {
  optim::require_lists(args, 4);
  require_rates(args, 4);
}

void infer_rmsprop(const Arguments& args, Results&) {
  optim::require_lists(args, 5, true);
  require_rates(args, 5);
}

void infer_rprop(const Arguments& args, Results&) {
  optim::require_lists(args, 4);
  optim::require_number(args, args.value(4), "step");
  require_rates(args, 5);
  optim::require_count(args, 7, "etas", 2);
  optim::require_count(args, 8, "bounds", 2);
}

void infer_asgd(const Arguments& args, Results&) {
  optim::require_lists(args, 3);
  optim::require_each(args, 3, "etas");
  optim::require_each(args, 4, "mus");
  optim::require_number(args, args.value(5), "step");
  require_rates(args, 6);
}

}  // namespace

DYAD_OP(
    "adagrad_step(params: Tensors, gradients: Tensors, accums: Tensors, learning_rates: Tensors, "
    "decays: Tensors, epsilon: float=0.0, scale: float=1.0, update_slots: bool=True, step: Tensor?=None, "
    "rate_decay: float=0.0) -> None")
    .doc(
        "Divides each gradient by the root of the sum of its squares so far. The rate falls with the steps "
        "taken before: rate / (1 + step * rate_decay). Without update_slots the sums stay as they are.")
    .hidden()
    .updates({0, 2})
    .infer(infer_adagrad)
    .no_grad(optim::kNoGradient)
    .cost(6)
    .samples("call([T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3, lo=1), T(5, lo=1)], [F()], [], dtypes='float')")
    .rejects("dyad._core.named_op('adagrad_step')([ones(2)], [ones(2)], [ones(2)], [], [])", "ValueError",
             "there are 0 entries in learning_rates and 1 parameters; need one for all or one for each");

DYAD_OP(
    "rmsprop_step(params: Tensors, gradients: Tensors, squares: Tensors, moments: Tensors, means: Tensors, "
    "learning_rates: Tensors, decays: Tensors, rho: float=0.9, momentum: float=0.0, epsilon: float=1e-10, "
    "scale: float=1.0, rooted: bool=False) -> None")
    .doc(
        "Divides each gradient by the root of the running mean of its squares; with means (centered) by that "
        "of its variance. epsilon stands under the root and the rate enters the velocity; where rooted, "
        "epsilon is added to the root and the rate multiplies the velocity.")
    .hidden()
    .updates({0, 2, 3, 4})
    .infer(infer_rmsprop)
    .no_grad(optim::kNoGradient)
    .cost(8)
    .samples(
        "call([T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3, lo=0), T(5, lo=0)], [T(2, 3), T(5)], [], [F()], [], "
        "dtypes='float')")
    .rejects(
        "dyad._core.named_op('rmsprop_step')([ones(2)], [ones(2)], [ones(2)], [ones(2)], [ones(1)], "
        "[ones()], [])",
        "ValueError", "state 0 has shape (1,) and its parameter has shape (2,)");

DYAD_OP(
    "adadelta_step(params: Tensors, gradients: Tensors, accums: Tensors, updates: Tensors, "
    "learning_rates: Tensors, decays: Tensors, rho: float=0.9, epsilon: float=1e-6, scale: float=1.0) -> "
    "None")
    .doc(
        "Moves by the gradient times the root of the running mean of squared updates over that of squared "
        "gradients.")
    .hidden()
    .updates({0, 2, 3})
    .infer(infer_two_states)
    .no_grad(optim::kNoGradient)
    .cost(10)
    .samples(
        "call([T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3, lo=0), T(5, lo=0)], [T(2, 3, lo=0), T(5, lo=0)], "
        "[F()], [], dtypes='float')")
    .rejects("dyad._core.named_op('adadelta_step')([ones(2)], [ones(2)], [ones(2)], [], [ones()], [])",
             "ValueError", "there are 0 states and 1 parameters");

DYAD_OP(
    "ftrl_step(params: Tensors, gradients: Tensors, accums: Tensors, linears: Tensors, "
    "learning_rates: Tensors, decays: Tensors, l1: float=0.0, l2: float=0.0, lr_power: float=-0.5, "
    "scale: float=1.0) -> None")
    .doc(
        "FTRL (follow the regularized leader) with L1 and L2 penalties: elements whose "
        "linear part stays below l1 are zero.")
    .hidden()
    .updates({0, 2, 3})
    .infer(infer_two_states)
    .no_grad(optim::kNoGradient)
    .cost(14)
    .samples(
        "call([T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3, lo=1), T(5, lo=1)], [T(2, 3), T(5)], "
        "[F(lo=0.1, hi=1)], [], dtypes='float')")
    .rejects("dyad._core.named_op('ftrl_step')([ones(2)], [], [ones(2)], [ones(2)], [ones()], [])",
             "ValueError", "there are 0 gradients and 1 parameters");

DYAD_OP(
    "proximal_adagrad_step(params: Tensors, gradients: Tensors, accums: Tensors, learning_rates: Tensors, "
    "decays: Tensors, l1: float=0.0, l2: float=0.0, scale: float=1.0) -> None")
    .doc(
        "Moves as adagrad_step does and then pulls each element towards zero, by l1 and in proportion by l2.")
    .hidden()
    .updates({0, 2})
    .infer(infer_one_state)
    .no_grad(optim::kNoGradient)
    .cost(9)
    .samples("call([T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3, lo=1), T(5, lo=1)], [F()], [], dtypes='float')")
    .rejects("dyad._core.named_op('proximal_adagrad_step')([ints(2)], [ones(2)], [ones(2)], [ones()], [])",
             "TypeError", "parameter 0 has dtype Int64; need a float dtype");

DYAD_OP(
    "rprop_step(params: Tensors, gradients: Tensors, previous: Tensors, sizes: Tensors, step: Tensor, "
    "learning_rates: Tensors, decays: Tensors, etas: floats, bounds: floats, scale: float=1.0) -> None")
    .doc(
        "Moves each element by a size of its own against the sign of its gradient: the size grows by etas[1] "
        "where the sign stays, shrinks by etas[0] where it turns, within bounds. It starts at the rate.")
    .hidden()
    .updates({0, 2, 3})
    .infer(infer_rprop)
    .no_grad(optim::kNoGradient)
    .cost(6)
    .samples(
        "call([T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3, lo=0), T(5, lo=0)], "
        "F(lo=1, hi=2), [F()], [], [0.5, 1.2], [1e-6, 50.0], dtypes='float')")
    .rejects(
        "dyad._core.named_op('rprop_step')([ones(2)], [ones(2)], [ones(2)], [ones(2)], ones(), [ones()], [], "
        "[0.5], [0.0, 1.0])",
        "ValueError", "etas has 1 entries; need 2");

DYAD_OP(
    "asgd_step(params: Tensors, gradients: Tensors, averages: Tensors, etas: Tensors, mus: Tensors, "
    "step: Tensor, learning_rates: Tensors, decays: Tensors, lambd: float=0.0001, alpha: float=0.75, "
    "t0: float=1000000.0, scale: float=1.0) -> None")
    .doc(
        "Gradient descent with a falling rate eta, and the average of the parameters from step t0 on, which "
        "takes in the share mu of each step.")
    .hidden()
    .updates({0, 2, 3, 4})
    .infer(infer_asgd)
    .no_grad(optim::kNoGradient)
    .cost(7)
    .samples(
        "call([T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3), T(5)], [F(), F()], [F(), F()], F(lo=1, hi=2), "
        "[F()], "
        "[], dtypes='float')")
    .rejects(
        "dyad._core.named_op('asgd_step')([ones(2)], [ones(2)], [ones(2)], [], [ones()], ones(), [ones()], "
        "[])",
        "ValueError", "there are 0 entries in etas and 1 parameters; need one for each");

}  // namespace dyad
