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
    .doc("One step of gradient descent with momentum. g is gradient_scale · gradient.")
    .formula("accumulation = momentum · accumulation + g")
    .formula("variable −= learning_rate · accumulation")
    .formula("variable −= learning_rate · (momentum · accumulation + g)", "use_nesterov=True")
    .arg("variable", "the parameter, floats; changed.")
    .arg("accumulation", "velocity, of the shape of `variable`; changed.")
    .arg("learning_rate", "learning rate.")
    .arg("gradient", "of the shape of `variable`.")
    .arg("momentum", "decay rate of the velocity.")
    .arg("use_nesterov", "whether the step is Nesterov's.")
    .arg("gradient_scale", "factor of the gradient.")
    .returns("`variable`.")
    .see("nn.Momentum")
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
    .doc("One step of stochastic gradient descent with momentum. g is gradient + weight_decay · parameters.")
    .formula("accum = momentum · accum + (1 − dampening) · g", "stat = 0")
    .formula("accum = g, stat = 0", "stat > 0")
    .formula("parameters −= learning_rate · accum")
    .formula("parameters −= learning_rate · (g + momentum · accum)", "nesterov=True")
    .arg("parameters", "the parameter, floats; changed.")
    .arg("gradient", "of the shape of `parameters`.")
    .arg("learning_rate", "learning rate.")
    .arg("accum", "velocity, of the shape of `parameters`; changed.")
    .arg("momentum", "decay rate of the velocity.")
    .arg("stat", "1 before the first step, then 0; of the shape of `parameters`; changed.")
    .arg("dampening", "share of the gradient that the velocity leaves out.")
    .arg("weight_decay", "factor of the parameter in the gradient.")
    .arg("nesterov", "whether the step is Nesterov's.")
    .returns("`parameters`.")
    .see("nn.SGD")
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
    .doc("One step of gradient descent with momentum, as in Keras: the velocity includes the learning rate.")
    .formula("accum = momentum · accum − lr · grad")
    .formula("var += accum")
    .formula("var += momentum · accum − lr · grad", "use_nesterov=True")
    .arg("var", "the parameter, floats; changed.")
    .arg("accum", "velocity, of the shape of `var`; changed.")
    .arg("lr", "learning rate.")
    .arg("grad", "of the shape of `var`.")
    .arg("momentum", "decay rate of the velocity.")
    .arg("use_nesterov", "whether the step is Nesterov's.")
    .returns("Tuple of var and accum.")
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
    .doc("One step of gradient descent.")
    .formula("var −= alpha · delta")
    .arg("var", "the parameter, floats; changed.")
    .arg("alpha", "learning rate.")
    .arg("delta", "gradient, of the shape of `var`.")
    .returns("`var`.")
    .see("nn.SGD")
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
    .doc("One step of proximal gradient descent, with L1 and L2 penalties.")
    .formula("z = var − alpha · delta")
    .formula("var = sign(z) · max(|z| − alpha · l1, 0) / (1 + alpha · l2)")
    .arg("var", "the parameter, floats; changed.")
    .arg("alpha", "learning rate.")
    .arg("l1", "L1 penalty.")
    .arg("l2", "L2 penalty.")
    .arg("delta", "gradient, of the shape of `var`.")
    .returns("`var`.")
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
    .doc("One AddSign step.")
    .formula("m = beta · m + (1 − beta) · grad")
    .formula("var −= lr · (alpha + sign_decay · sign(grad) · sign(m)) · grad")
    .arg("var", "the parameter, floats; changed.")
    .arg("m", "mean of gradients, of the shape of `var`; changed.")
    .arg("lr", "learning rate.")
    .arg("alpha", "constant part of the factor.")
    .arg("sign_decay", "factor of the agreement of signs.")
    .arg("beta", "decay rate of `m`.")
    .arg("grad", "of the shape of `var`.")
    .returns("Tuple of var and m.")
    .see("ops.ApplyPowerSign")
    .reference("arXiv:1709.07417")
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
    .doc("One PowerSign step.")
    .formula("m = beta · m + (1 − beta) · grad")
    .formula("var −= lr · exp(logbase · sign_decay · sign(grad) · sign(m)) · grad")
    .arg("var", "the parameter, floats; changed.")
    .arg("m", "mean of gradients, of the shape of `var`; changed.")
    .arg("lr", "learning rate.")
    .arg("logbase", "logarithm of the base of the power.")
    .arg("sign_decay", "factor of the agreement of signs.")
    .arg("beta", "decay rate of `m`.")
    .arg("grad", "of the shape of `var`.")
    .returns("Tuple of var and m.")
    .see("ops.ApplyAddSign")
    .reference("arXiv:1709.07417")
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
