#include "ops/optim/apply.h"
#include "ops/optim/step.h"

// The classes that move one variable as Adam does, in terms of the steps over many.

namespace dyad {

namespace {

DYAD_USE(adam_step)
DYAD_USE(adam_weight_decay_step)
DYAD_USE(adamax_step)
DYAD_USE(cast)

using optim::as_value;
using optim::changed;

/// The power before the step that multiplies `beta` on, in float64 so that nothing of it is lost.
Value before(const Call& call, size_t power, double beta) {
  return cast(as_value(call, power), DType::kFloat64) / beta;
}

struct Positions {
  size_t power1;
  size_t rate;
  size_t gradient;
};

/// Adam's step on the first three arguments; `largest` is empty without AMSGrad.
void move(const Call& call, const Positions& at, const ValueList& largest, double beta1, double beta2,
          double epsilon, bool nesterov) {
  adam_step.all(ValueList{call.value(0)}, ValueList{call.value(at.gradient)}, ValueList{call.value(1)},
                ValueList{call.value(2)}, largest,
                ValueList{before(call, at.power1, beta1), before(call, at.power1 + 1, beta2)},
                ValueList{as_value(call, at.rate)}, ValueList{}, Floats{beta1, beta2}, epsilon, 1.0,
                nesterov);
}

}  // namespace

DYAD_OP(
    "apply_adam(var: Tensor, m: Tensor, v: Tensor, beta1_power: Operand, beta2_power: Operand, lr: Operand, "
    "beta1: float, beta2: float, epsilon: float, gradient: Tensor, use_locking: bool=False, "
    "use_nesterov: bool=False) -> (Tensor, Tensor, Tensor)")
    .doc(
        "Moves var by adam_step with the moments m and v and the given powers of the betas; gives all three.")
    .hidden()
    .primitive(
        "Adam(use_locking=False, use_nesterov=False)(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, "
        "epsilon, gradient)")
    .alias("grad", "gradient")
    .updates({0, 1, 2})
    .compose([](const Call& call) {
      move(call, {3, 5, 9}, {}, call.real(6), call.real(7), call.real(8), call.flag(11));
      return changed(call, 0, 2);
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(2, 3), T(2, 3), T(2, 3, lo=0), 0.9, 0.99, 0.1, 0.9, 0.99, 1e-8, T(2, 3))")
    .rejects("ops.Adam()(ones(2), ones(2), ones(2), 0.9, 0.99, 0.1, 0.9, 0.99, 1e-8, ones(3))", "ValueError",
             "gradient 0 has shape (3,) and its parameter has shape (2,)");

DYAD_OP(
    "apply_adam_with_amsgrad(var: Tensor, m: Tensor, v: Tensor, vhat: Tensor, beta1_power: Operand, "
    "beta2_power: Operand, lr: Operand, grad: Tensor, beta1: float=0.9, beta2: float=0.999, "
    "epsilon: float=1e-8, use_locking: bool=False) -> (Tensor, Tensor, Tensor, Tensor)")
    .doc("As apply_adam, over the largest second moment so far, which is kept in vhat; gives all four.")
    .hidden()
    .primitive(
        "ApplyAdamWithAmsgrad(beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False)(var, m, v, vhat, "
        "beta1_power, beta2_power, lr, grad)")
    .primitive(
        "ApplyAdamWithAmsgradV2(use_locking=False)(var, m, v, vhat, beta1_power, beta2_power, lr, beta1, "
        "beta2, epsilon, grad)")
    .updates({0, 1, 2, 3})
    .compose([](const Call& call) {
      move(call, {4, 6, 7}, {call.value(3)}, call.real(8), call.real(9), call.real(10), false);
      return changed(call, 0, 3);
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(2, 3), T(2, 3), T(2, 3, lo=0), T(2, 3, lo=0), 0.9, 0.99, 0.1, T(2, 3))")
    .rejects("ops.ApplyAdamWithAmsgrad()(ones(2), ones(2), ones(2), ones(3), 0.9, 0.99, 0.1, ones(2))",
             "ValueError", "state 0 has shape (3,) and its parameter has shape (2,)");

DYAD_OP(
    "apply_adam_weight_decay(var: Tensor, m: Tensor, v: Tensor, lr: Operand, beta1: float, beta2: float, "
    "epsilon: float, decay: Operand, gradient: Tensor, use_locking: bool=False) -> (Tensor, Tensor, Tensor)")
    .doc("Moves var by adam_weight_decay_step with the moments m and v; gives all three.")
    .hidden()
    .primitive("AdamWeightDecay(use_locking=False)(var, m, v, lr, beta1, beta2, epsilon, decay, gradient)")
    .updates({0, 1, 2})
    .compose([](const Call& call) {
      adam_weight_decay_step.all(ValueList{call.value(0)}, ValueList{call.value(8)}, ValueList{call.value(1)},
                                 ValueList{call.value(2)}, ValueList{as_value(call, 3)},
                                 ValueList{as_value(call, 7)}, Floats{call.real(4), call.real(5)},
                                 call.real(6));
      return changed(call, 0, 2);
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(2, 3), T(2, 3), T(2, 3, lo=0), 0.1, 0.9, 0.99, 1e-8, 0.1, T(2, 3))")
    .rejects("ops.AdamWeightDecay()(ones(2), ones(2), ones(3), 0.1, 0.9, 0.99, 1e-8, 0.1, ones(2))",
             "ValueError", "state 0 has shape (3,) and its parameter has shape (2,)");

DYAD_OP(
    "apply_ada_max(var: Tensor, m: Tensor, v: Tensor, beta1_power: Operand, lr: Operand, beta1: float, "
    "beta2: float, epsilon: float, grad: Tensor) -> (Tensor, Tensor, Tensor)")
    .doc(
        "Moves var by adamax_step with the mean m, the largest gradient v and the power of beta1; gives all.")
    .hidden()
    .primitive("ApplyAdaMax")
    .updates({0, 1, 2})
    .compose([](const Call& call) {
      adamax_step.all(ValueList{call.value(0)}, ValueList{call.value(8)}, ValueList{call.value(1)},
                      ValueList{call.value(2)}, ValueList{before(call, 3, call.real(5))},
                      ValueList{as_value(call, 4)}, ValueList{}, Floats{call.real(5), call.real(6)},
                      call.real(7));
      return changed(call, 0, 2);
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(2, 3), T(2, 3), T(2, 3, lo=0), 0.9, 0.1, 0.9, 0.99, 1e-8, T(2, 3))")
    .rejects("ops.ApplyAdaMax()(ones(2), ones(2), ones(2), 0.9, 0.1, 0.9, 0.99, 1e-8, ints(2))", "TypeError",
             "gradient 0 has dtype Int64; need a float dtype");

}  // namespace dyad
