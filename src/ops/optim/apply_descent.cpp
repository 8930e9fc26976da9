#include "ops/optim/apply.h"
#include "ops/optim/step.h"

// The classes that move one variable along its gradient, in terms of the steps over many.

namespace dyad {

namespace {

DYAD_USE(abs, assign, exp, maximum, momentum_step, sgd_step, sign);

using optim::as_value;
using optim::changed;

/// Nearer to zero by `threshold`, and zero within it.
Value shrunk(const Value& value, const Arg& threshold) {
  return sign(value) * maximum(abs(value) - threshold, 0.0);
}

/// The running mean of the gradient, brought up to date, and whether its sign is that of the gradient.
Value agreement(const Call& call, size_t beta, const Value& gradient) {
  const Value mean = call.value(1) * call[beta] + gradient * (1.0 - as_value(call, beta));
  assign(call.value(1), mean);
  return sign(gradient) * sign(mean);
}

}  // namespace

DYAD_OP(
    "apply_momentum(variable: Tensor, accumulation: Tensor, learning_rate: Operand, gradient: Tensor, "
    "momentum: Operand, use_nesterov: bool=False, use_locking: bool=False, gradient_scale: float=1.0) -> "
    "Tensor")
    .doc("Moves variable by momentum_step, with accumulation as its velocity, and gives it.")
    .hidden()
    .primitive(
        "ApplyMomentum(use_nesterov=False, use_locking=False, gradient_scale=1.0)(variable, accumulation, "
        "learning_rate, gradient, momentum)")
    .writes(0)
    .updates({1})
    .compose([](const Call& call) {
      momentum_step.all(ValueList{call.value(0)}, ValueList{call.value(3)}, ValueList{call.value(1)},
                        ValueList{as_value(call, 2)}, ValueList{}, as_value(call, 4), call.real(7),
                        call.flag(5));
      return call.value(0);
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(2, 3), T(2, 3), 0.1, T(2, 3), 0.9)")
    .rejects("ops.ApplyMomentum()(ones(2), ones(3), 0.1, ones(2), 0.9)", "ValueError",
             "state 0 has shape (3,) and its parameter has shape (2,)");

DYAD_OP(
    "apply_sgd(parameters: Tensor, gradient: Tensor, learning_rate: Operand, accum: Tensor, "
    "momentum: Operand, stat: Tensor, dampening: float=0.0, weight_decay: float=0.0, nesterov: bool=False) "
    "-> "
    "Tensor")
    .doc("Moves parameters by sgd_step, with accum as velocity and stat as what is fresh, and gives them.")
    .hidden()
    .primitive(
        "SGD(dampening=0.0, weight_decay=0.0, nesterov=False)(parameters, gradient, learning_rate, accum, "
        "momentum, stat)")
    .writes(0)
    .updates({3, 5})
    .compose([](const Call& call) {
      ValueList decays;
      if (call.real(7) != 0) decays.push_back(as_value(call, 7));
      sgd_step.all(ValueList{call.value(0)}, ValueList{call.value(1)}, ValueList{call.value(3)},
                   ValueList{call.value(5)}, ValueList{as_value(call, 2)}, decays, as_value(call, 4),
                   call.real(6), 1.0, call.flag(8));
      return call.value(0);
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(2, 3), T(2, 3), 0.1, T(2, 3), 0.9, T(2, 3), 0.1, 0.2)")
    .rejects("ops.SGD()(ones(2), ones(3), 0.1, ones(2), 0.9, ones(2))", "ValueError",
             "gradient 0 has shape (3,) and its parameter has shape (2,)");

DYAD_OP(
    "apply_keras_momentum(var: Tensor, accum: Tensor, lr: Operand, grad: Tensor, momentum: Operand, "
    "use_locking: bool=False, use_nesterov: bool=False) -> (Tensor, Tensor)")
    .doc(
        "accum = accum * momentum - lr * grad; var += accum, or with use_nesterov accum * momentum - lr * "
        "grad. Gives both.")
    .hidden()
    .primitive("ApplyKerasMomentum(use_locking=False, use_nesterov=False)(var, accum, lr, grad, momentum)")
    .updates({0, 1})
    .compose([](const Call& call) {
      const Value moved = call.value(3) * call[2];
      const Value velocity = call.value(1) * call[4] - moved;
      assign(call.value(1), velocity);
      assign(call.value(0), call.value(0) + (call.flag(6) ? velocity * call[4] - moved : velocity));
      return changed(call, 0, 1);
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(2, 3), T(2, 3), 0.1, T(2, 3), 0.9, False, True)")
    .rejects("ops.ApplyKerasMomentum()(ones(2), ones(3), 0.1, ones(2), 0.9)", "ValueError",
             "shapes (3,) and (2,) do not broadcast");

DYAD_OP("apply_gradient_descent(var: Tensor, alpha: Operand, delta: Tensor) -> Tensor")
    .doc("var -= alpha * delta; gives var.")
    .hidden()
    .primitive("ApplyGradientDescent")
    .writes(0)
    .compose([](const Call& call) { return assign(call.value(0), call.value(0) - call.value(2) * call[1]); })
    .no_grad(optim::kNoGradient)
    .samples("call(T(2, 3), 0.1, T(2, 3))")
    .rejects("ops.ApplyGradientDescent()(ones(2), 0.1, ones(3))", "ValueError",
             "shapes (2,) and (3,) do not broadcast");

DYAD_OP(
    "apply_proximal_gradient_descent(var: Tensor, alpha: Operand, l1: Operand, l2: Operand, delta: Tensor) "
    "-> "
    "Tensor")
    .doc("Moves var by -alpha * delta, then towards zero: by alpha * l1, and divided by 1 + alpha * l2.")
    .hidden()
    .primitive("ApplyProximalGradientDescent")
    .writes(0)
    .compose([](const Call& call) {
      const Value alpha = as_value(call, 1);
      const Value moved = call.value(0) - call.value(4) * alpha;
      return assign(call.value(0), shrunk(moved, alpha * call[2]) / (alpha * call[3] + 1.0));
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(2, 3), 0.1, 0.2, 0.3, T(2, 3))")
    .rejects("ops.ApplyProximalGradientDescent()(ones(2), 0.1, 0.2, 0.3, ones(3))", "ValueError",
             "shapes (2,) and (3,) do not broadcast");

DYAD_OP(
    "apply_add_sign(var: Tensor, m: Tensor, lr: Operand, alpha: Operand, sign_decay: Operand, beta: Operand, "
    "grad: Tensor) -> (Tensor, Tensor)")
    .doc(
        "m = beta * m + (1 - beta) * grad; var -= lr * (alpha + sign_decay * sign(grad) * sign(m)) * grad. "
        "Gives both.")
    .hidden()
    .primitive("ApplyAddSign")
    .updates({0, 1})
    .compose([](const Call& call) {
      const Value& gradient = call.value(6);
      const Value factor = agreement(call, 5, gradient) * call[4] + call[3];
      assign(call.value(0), call.value(0) - factor * gradient * call[2]);
      return changed(call, 0, 1);
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(2, 3), T(2, 3), 0.1, 1.0, 0.99, 0.9, T(2, 3))")
    .rejects("ops.ApplyAddSign()(ones(2), ones(3), 0.1, 1.0, 0.99, 0.9, ones(2))", "ValueError",
             "shapes (3,) and (2,) do not broadcast");

DYAD_OP(
    "apply_power_sign(var: Tensor, m: Tensor, lr: Operand, logbase: Operand, sign_decay: Operand, "
    "beta: Operand, grad: Tensor) -> (Tensor, Tensor)")
    .doc(
        "m = beta * m + (1 - beta) * grad; var -= lr * exp(logbase * sign_decay * sign(grad) * sign(m)) * "
        "grad. Gives both.")
    .hidden()
    .primitive("ApplyPowerSign")
    .updates({0, 1})
    .compose([](const Call& call) {
      const Value& gradient = call.value(6);
      const Value factor = exp(agreement(call, 5, gradient) * call[4] * call[3]);
      assign(call.value(0), call.value(0) - factor * gradient * call[2]);
      return changed(call, 0, 1);
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(2, 3), T(2, 3), 0.1, 1.0, 0.99, 0.9, T(2, 3))")
    .rejects("ops.ApplyPowerSign()(ones(2), ones(3), 0.1, 1.0, 0.99, 0.9, ones(2))", "ValueError",
             "shapes (3,) and (2,) do not broadcast");

}  // namespace dyad
