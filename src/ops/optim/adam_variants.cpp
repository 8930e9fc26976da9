#include "ops/optim/step.h"

namespace dyad {

namespace {

/// The arguments after the lists in every form: learning rates, decays, betas.
void require_rates(const Arguments& args, size_t rates) {
  optim::require_settings(args, rates, "learning_rates");
  optim::require_settings(args, rates + 1, "decays", true);
  optim::require_count(args, rates + 2, "betas", 2);
}

void infer_adamw(const Arguments& args, Results&) {
  optim::require_lists(args, 5, true);
  optim::require_number(args, args.value(5), "step");
  require_rates(args, 6);
}

void infer_nadam(const Arguments& args, Results&) {
  optim::require_lists(args, 4);
  optim::require_each(args, 4, "products");
  optim::require_number(args, args.value(5), "step");
  require_rates(args, 6);
}

void infer_counted(const Arguments& args, Results&) {
  optim::require_lists(args, 4);
  optim::require_number(args, args.value(4), "step");
  require_rates(args, 5);
}

void infer_adamax(const Arguments& args, Results&) {
  optim::require_lists(args, 4);
  optim::require_settings(args, 4, "powers");
  require_rates(args, 5);
}

}  // namespace

DYAD_OP(
    "adamw_step(params: Tensors, gradients: Tensors, moment1: Tensors, moment2: Tensors, largest: Tensors, "
    "step: Tensor, learning_rates: Tensors, decays: Tensors, betas: floats, epsilon: float=1e-8, "
    "scale: float=1.0, decoupled: bool=True) -> None")
    .doc(
        "Adam that corrects its means by the number of steps taken before, and adds epsilon to the corrected "
        "root. Weight decay shrinks the parameters, or joins the gradient where it is not decoupled.")
    .hidden()
    .updates({0, 2, 3, 4})
    .infer(infer_adamw)
    .no_grad(optim::kNoGradient)
    .cost(14)
    .samples(
        "call([T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3, lo=0), T(5, lo=0)], [], "
        "F(lo=1, hi=2), [F()], [], [0.9, 0.99], dtypes='float')")
    .rejects(
        "dyad._core.named_op('adamw_step')([ones(2)], [ones(2)], [ones(2)], [ones(2)], [], ones(), [ones()], "
        "[], [0.9])",
        "ValueError", "betas has 1 entries; need 2");

DYAD_OP(
    "nadam_step(params: Tensors, gradients: Tensors, moment1: Tensors, moment2: Tensors, "
    "products: Tensors, step: Tensor, learning_rates: Tensors, decays: Tensors, betas: floats, "
    "epsilon: float=1e-8, momentum_decay: float=0.004) -> None")
    .doc(
        "Adam that looks ahead as Nesterov does, with a momentum that grows from step to step; products "
        "holds "
        "that of all momenta so far for each parameter.")
    .hidden()
    .updates({0, 2, 3, 4})
    .infer(infer_nadam)
    .no_grad(optim::kNoGradient)
    .cost(14)
    .samples(
        "call([T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3, lo=0), T(5, lo=0)], "
        "[F(lo=0.5, hi=0.9), F(lo=0.5, hi=0.9)], F(lo=1, hi=2), [F()], [], [0.9, 0.99], dtypes='float')")
    .rejects(
        "dyad._core.named_op('nadam_step')([ones(2)], [ones(2)], [ones(2)], [ones(2)], [], ones(), [ones()], "
        "[], [0.9, 0.99])",
        "ValueError", "there are 0 entries in products and 1 parameters; need one for each");

DYAD_OP(
    "radam_step(params: Tensors, gradients: Tensors, moment1: Tensors, moment2: Tensors, step: Tensor, "
    "learning_rates: Tensors, decays: Tensors, betas: floats, epsilon: float=1e-8) -> None")
    .doc(
        "Adam whose rate is rectified by how well the variance of the gradients is known; in the first "
        "steps, "
        "where it is not, their mean alone moves the parameters.")
    .hidden()
    .updates({0, 2, 3})
    .infer(infer_counted)
    .no_grad(optim::kNoGradient)
    .cost(16)
    .samples(
        "call([T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3, lo=0), T(5, lo=0)], "
        "F(lo=1, hi=2), [F()], [], [0.9, 0.99], dtypes='float')")
    .rejects(
        "dyad._core.named_op('radam_step')([ones(2)], [None], [ones(2)], [ones(2)], ones(), [ones()], [], "
        "[0.9, 0.99])",
        "TypeError", "gradient 0 is None; it must be a Tensor");

DYAD_OP(
    "lamb_step(params: Tensors, gradients: Tensors, moment1: Tensors, moment2: Tensors, step: Tensor, "
    "learning_rates: Tensors, decays: Tensors, betas: floats, epsilon: float=1e-6) -> None")
    .doc(
        "Adam's direction with weight decay, taken as far as the norm of each parameter: the rate is "
        "multiplied by that norm over the norm of the direction.")
    .hidden()
    .updates({0, 2, 3})
    .infer(infer_counted)
    .no_grad(optim::kNoGradient)
    .cost(18)
    .samples(
        "call([T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3, lo=0), T(5, lo=0)], "
        "F(lo=1, hi=2), [F()], [], [0.9, 0.99], dtypes='float')")
    .rejects(
        "dyad._core.named_op('lamb_step')([ones(2)], [ones(2)], [ones(2)], [ones(2)], ones(2), [ones()], [], "
        "[0.9, 0.99])",
        "ValueError", "step has shape (2,); need a Tensor of one number");

DYAD_OP(
    "adamax_step(params: Tensors, gradients: Tensors, moment1: Tensors, moment2: Tensors, powers: Tensors, "
    "learning_rates: Tensors, decays: Tensors, betas: floats, epsilon: float=1e-8, scale: float=1.0) -> None")
    .doc(
        "Adam over the largest magnitude of the gradients, which fades by beta2, in place of the root of "
        "their squares; the power of beta1 is multiplied on.")
    .hidden()
    .updates({0, 2, 3, 4})
    .infer(infer_adamax)
    .no_grad(optim::kNoGradient)
    .cost(9)
    .samples(
        "call([T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3, lo=0), T(5, lo=0)], "
        "[F(lo=0.5, hi=0.9)], [F()], [], [0.9, 0.99], dtypes='float')")
    .rejects(
        "dyad._core.named_op('adamax_step')([ones(2)], [ones(2)], [ones(2)], [ones(2)], [ones()], "
        "[ones(), ones()], [], [0.9, 0.99])",
        "ValueError", "there are 2 entries in learning_rates and 1 parameters");

DYAD_OP(
    "adamax_counted_step(params: Tensors, gradients: Tensors, moment1: Tensors, moment2: Tensors, "
    "step: Tensor, learning_rates: Tensors, decays: Tensors, betas: floats, epsilon: float=1e-8, "
    "scale: float=1.0) -> None")
    .doc(
        "As adamax_step, corrected by the number of steps taken before, with epsilon added to the magnitude "
        "of "
        "each gradient.")
    .hidden()
    .updates({0, 2, 3})
    .infer(infer_counted)
    .no_grad(optim::kNoGradient)
    .cost(9)
    .samples(
        "call([T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3, lo=0), T(5, lo=0)], "
        "F(lo=1, hi=2), [F()], [], [0.9, 0.99], dtypes='float')")
    .rejects(
        "dyad._core.named_op('adamax_counted_step')([ones(2)], [ones(2)], [ones(2)], [ones(3)], ones(), "
        "[ones()], [], [0.9, 0.99])",
        "ValueError", "state 0 has shape (3,) and its parameter has shape (2,)");

}  // namespace dyad
