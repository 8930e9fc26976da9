#include "ops/optim/apply.h"
#include "ops/optim/step.h"

// The classes that move one variable by a rate of its own for each element, in terms of the steps over many.

namespace dyad {

namespace {

DYAD_USE(abs, adadelta_step, adagrad_step, assign, cast, ftrl_step, greater, maximum, pow,
         proximal_adagrad_step, rmsprop_step, sign, sqrt, square, where);

using optim::any_open;
using optim::as_value;
using optim::changed;

/// Writes a state or variable, in its own dtype, and returns the new value.
Value store(const Value& state, const Value& value) { return assign(state, cast(value, state->dtype)); }

}  // namespace

DYAD_OP(
    "apply_adagrad(var: Tensor, accum: Tensor, lr: Operand, grad: Tensor, epsilon: float=0.0, "
    "update_slots: bool=True) -> (Tensor, Tensor)")
    .doc("One Adagrad step. g is `grad`.")
    .formula("accum += g²", "update_slots=True")
    .formula("var −= lr · g / (√accum + epsilon)")
    .arg("var", "the parameter, floats; changed.")
    .arg("accum", "sum of squared gradients, of the shape of `var`; changed.")
    .arg("lr", "learning rate.")
    .arg("grad", "of the shape of `var`.")
    .arg("epsilon", "added to the divisor.")
    .arg("update_slots", "whether `accum` is changed.")
    .returns("Tuple of var and accum.")
    .see("nn.Adagrad")
    .hidden()
    .primitive("ApplyAdagrad(update_slots=True)(var, accum, lr, grad)")
    .primitive("ApplyAdagradV2(epsilon, update_slots=True)(var, accum, lr, grad)")
    .updates({0, 1})
    .compose([](const Call& call) {
      adagrad_step.all(ValueList{call.value(0)}, ValueList{call.value(3)}, ValueList{call.value(1)},
                       ValueList{as_value(call, 2)}, ValueList{}, call.real(4), 1.0, call.flag(5));
      return changed(call, 0, 1);
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(2, 3), T(2, 3, lo=1), 0.1, T(2, 3))")
    .rejects("ops.ApplyAdagrad()(ones(2), ones(3), 0.1, ones(2))", "ValueError",
             "state 0 has shape (3,) and its parameter has shape (2,)");

DYAD_OP(
    "apply_adagrad_da(var: Tensor, gradient_accumulator: Tensor, gradient_squared_accumulator: Tensor, "
    "grad: Tensor, lr: Operand, l1: Operand, l2: Operand, global_step: Operand, use_locking: bool=False) -> "
    "Tensor")
    .doc("One step of Adagrad with dual averaging. g is `grad`.")
    .formula("gradient_accumulator += g, gradient_squared_accumulator += g²")
    .formula("s = sign(gradient_accumulator) · max(|gradient_accumulator| − global_step · l1, 0)")
    .formula("var = −lr · s / (global_step · lr · l2 + √gradient_squared_accumulator)")
    .arg("var", "the parameter, floats; changed.")
    .arg("gradient_accumulator", "sum of gradients, of the shape of `var`; changed.")
    .arg("gradient_squared_accumulator", "sum of squared gradients, of the shape of `var`; changed.")
    .arg("grad", "of the shape of `var`.")
    .arg("lr", "learning rate.")
    .arg("l1", "L1 penalty.")
    .arg("l2", "L2 penalty.")
    .arg("global_step", "number of steps, this one included.")
    .returns("`var`.")
    .hidden()
    .primitive(
        "ApplyAdagradDA(use_locking=False)(var, gradient_accumulator, gradient_squared_accumulator, grad, "
        "lr, "
        "l1, l2, global_step)")
    .writes(0)
    .updates({1, 2})
    .compose([](const Call& call) {
      const Value total = call.value(1) + call.value(3);
      const Value squares = call.value(2) + square(call.value(3));
      assign(call.value(1), total);
      assign(call.value(2), squares);
      const Value steps = as_value(call, 7);
      const Value rate = as_value(call, 4);
      const Value kept = sign(total) * maximum(abs(total) - steps * call[5], 0.0);
      return assign(call.value(0), -(kept * rate) / (steps * rate * call[6] + sqrt(squares)));
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(2, 3), T(2, 3), T(2, 3, lo=1), T(2, 3), 0.1, 0.01, 0.02, 3)")
    .rejects("ops.ApplyAdagradDA()(ones(2), ones(3), ones(2), ones(2), 0.1, 0.1, 0.1, 1)", "ValueError",
             "shapes (3,) and (2,) do not broadcast");

DYAD_OP(
    "apply_proximal_adagrad(var: Tensor, accum: Tensor, lr: Operand, l1: Operand, l2: Operand, grad: Tensor, "
    "use_locking: bool=False) -> (Tensor, Tensor)")
    .doc("One proximal Adagrad step, with L1 and L2 penalties. g is `grad`.")
    .formula("accum += g², η = lr / √accum, z = var − η · g")
    .formula("var = sign(z) · max(|z| − η · l1, 0) / (1 + η · l2)")
    .arg("var", "the parameter, floats; changed.")
    .arg("accum", "sum of squared gradients, of the shape of `var`; changed.")
    .arg("lr", "learning rate.")
    .arg("l1", "L1 penalty.")
    .arg("l2", "L2 penalty.")
    .arg("grad", "of the shape of `var`.")
    .returns("Tuple of var and accum.")
    .see("nn.ProximalAdagrad")
    .hidden()
    .primitive("ApplyProximalAdagrad(use_locking=False)(var, accum, lr, l1, l2, grad)")
    .updates({0, 1})
    .compose([](const Call& call) {
      if (any_open(call, 3, 4)) {
        const Value& gradient = call.value(5);
        const Value sums = store(call.value(1), call.value(1) + square(gradient));
        const Value rate = as_value(call, 2) / sqrt(sums);
        const Value goal = call.value(0) - gradient * rate;
        const Value kept = sign(goal) * maximum(abs(goal) - rate * as_value(call, 3), 0.0);
        store(call.value(0), kept / (rate * as_value(call, 4) + 1.0));
        return changed(call, 0, 1);
      }
      proximal_adagrad_step.all(ValueList{call.value(0)}, ValueList{call.value(5)}, ValueList{call.value(1)},
                                ValueList{as_value(call, 2)}, ValueList{}, call.real(3), call.real(4));
      return changed(call, 0, 1);
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(2, 3), T(2, 3, lo=1), 0.1, 0.01, 0.02, T(2, 3))")
    .rejects("ops.ApplyProximalAdagrad()(ones(2), ones(2), 0.1, 0.1, 0.1, ones(3))", "ValueError",
             "gradient 0 has shape (3,) and its parameter has shape (2,)");

DYAD_OP(
    "apply_adadelta(var: Tensor, accum: Tensor, accum_update: Tensor, lr: Operand, rho: Operand, "
    "epsilon: Operand, grad: Tensor) -> (Tensor, Tensor, Tensor)")
    .doc("One Adadelta step. g is `grad`.")
    .formula("accum = rho · accum + (1 − rho) · g²")
    .formula("u = √(accum_update + epsilon) / √(accum + epsilon) · g")
    .formula("accum_update = rho · accum_update + (1 − rho) · u², var −= lr · u")
    .arg("var", "the parameter, floats; changed.")
    .arg("accum", "mean of squared gradients, of the shape of `var`; changed.")
    .arg("accum_update", "mean of squared updates, of the shape of `var`; changed.")
    .arg("lr", "learning rate.")
    .arg("rho", "decay rate of the means, in [0, 1).")
    .arg("epsilon", "added under the roots.")
    .arg("grad", "of the shape of `var`.")
    .returns("Tuple of var, accum and accum_update.")
    .see("nn.Adadelta")
    .reference("arXiv:1212.5701")
    .hidden()
    .primitive("ApplyAdadelta")
    .updates({0, 1, 2})
    .compose([](const Call& call) {
      if (any_open(call, 4, 5)) {
        const Value& gradient = call.value(6);
        const Value rho = as_value(call, 4), epsilon = as_value(call, 5);
        const Value squares = store(call.value(1), call.value(1) * rho + square(gradient) * (1.0 - rho));
        const Value update = sqrt(call.value(2) + epsilon) / sqrt(squares + epsilon) * gradient;
        store(call.value(2), call.value(2) * rho + square(update) * (1.0 - rho));
        store(call.value(0), call.value(0) - as_value(call, 3) * update);
        return changed(call, 0, 2);
      }
      adadelta_step.all(ValueList{call.value(0)}, ValueList{call.value(6)}, ValueList{call.value(1)},
                        ValueList{call.value(2)}, ValueList{as_value(call, 3)}, ValueList{}, call.real(4),
                        call.real(5));
      return changed(call, 0, 2);
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(2, 3), T(2, 3, lo=0), T(2, 3, lo=0), 0.1, 0.9, 1e-6, T(2, 3))")
    .rejects("ops.ApplyAdadelta()(ones(2), ones(2), ones(3), 0.1, 0.9, 1e-6, ones(2))", "ValueError",
             "state 0 has shape (3,) and its parameter has shape (2,)");

DYAD_OP(
    "apply_ftrl(var: Tensor, accum: Tensor, linear: Tensor, grad: Tensor, lr: Operand, l1: Operand, l2: "
    "Operand, "
    "lr_power: Operand, use_locking: bool=False) -> Tensor")
    .doc("FTRL (follow the regularized leader) step with L1 and L2 penalties. g is `grad` and p = −lr_power.")
    .formula("σ = ((accum + g²)^p − accum^p) / lr, linear += g − σ · var, accum += g²")
    .formula("var = (sign(linear) · l1 − linear) / (accum^p / lr + 2 · l2)", "|linear| > l1")
    .formula("var = 0", "|linear| ≤ l1")
    .arg("var", "the parameter, floats; changed.")
    .arg("accum", "sum of squared gradients, of the shape of `var`; changed.")
    .arg("linear", "linear part, of the shape of `var`; changed.")
    .arg("grad", "of the shape of `var`.")
    .arg("lr", "learning rate.")
    .arg("l1", "L1 penalty.")
    .arg("l2", "L2 penalty.")
    .arg("lr_power", "power of the sum of squares, ≤ 0.")
    .returns("`var`.")
    .see("nn.FTRL")
    .hidden()
    .primitive("ApplyFtrl(use_locking=False)(var, accum, linear, grad, lr, l1, l2, lr_power)")
    .writes(0)
    .updates({1, 2})
    .compose([](const Call& call) {
      if (any_open(call, 5, 7)) {
        const Value& gradient = call.value(3);
        const Value power = as_value(call, 7) * -1.0;
        const Value rate = as_value(call, 4), l1 = as_value(call, 5);
        const Value sums = call.value(1) + square(gradient);
        const Value grown = pow(sums, power);
        const Value pull = (grown - pow(call.value(1), power)) / rate;
        const Value linear = store(call.value(2), call.value(2) + gradient - pull * call.value(0));
        store(call.value(1), sums);
        const Value best = (sign(linear) * l1 - linear) / (grown / rate + as_value(call, 6) * 2.0);
        return store(call.value(0), where(greater(abs(linear), l1), best, 0.0));
      }
      ftrl_step.all(ValueList{call.value(0)}, ValueList{call.value(3)}, ValueList{call.value(1)},
                    ValueList{call.value(2)}, ValueList{as_value(call, 4)}, ValueList{}, call.real(5),
                    call.real(6), call.real(7));
      return call.value(0);
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(2, 3), T(2, 3, lo=1), T(2, 3), T(2, 3), 0.1, 0.01, 0.02, -0.5)")
    .rejects("ops.ApplyFtrl()(ones(2), ones(2), ones(3), ones(2), 0.1, 0.0, 0.0, -0.5)", "ValueError",
             "state 0 has shape (3,) and its parameter has shape (2,)");

DYAD_OP(
    "apply_rms_prop(var: Tensor, mean_square: Tensor, moment: Tensor, learning_rate: Operand, grad: Tensor, "
    "decay: float, momentum: float, epsilon: float, use_locking: bool=False) -> Tensor")
    .doc("One RMSProp step with momentum. g is `grad`.")
    .formula("mean_square = decay · mean_square + (1 − decay) · g²")
    .formula("moment = momentum · moment + learning_rate · g / √(mean_square + epsilon)")
    .formula("var −= moment")
    .arg("var", "the parameter, floats; changed.")
    .arg("mean_square", "mean of squared gradients, of the shape of `var`; changed.")
    .arg("moment", "velocity, of the shape of `var`; changed.")
    .arg("learning_rate", "learning rate.")
    .arg("grad", "of the shape of `var`.")
    .arg("decay", "decay rate of the means, in [0, 1).")
    .arg("momentum", "decay rate of the velocity.")
    .arg("epsilon", "added under the root.")
    .returns("`var`.")
    .see("nn.RMSProp")
    .hidden()
    .primitive(
        "ApplyRMSProp(use_locking=False)(var, mean_square, moment, learning_rate, grad, decay, momentum, "
        "epsilon)")
    .alias("rho", "decay")
    .writes(0)
    .updates({1, 2})
    .compose([](const Call& call) {
      rmsprop_step.all(ValueList{call.value(0)}, ValueList{call.value(4)}, ValueList{call.value(1)},
                       ValueList{call.value(2)}, ValueList{}, ValueList{as_value(call, 3)}, ValueList{},
                       call.real(5), call.real(6), call.real(7));
      return call.value(0);
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(2, 3), T(2, 3, lo=1), T(2, 3), 0.1, T(2, 3), 0.9, 0.5, 1e-6)")
    .rejects("ops.ApplyRMSProp()(ones(2), ones(2), ones(3), 0.1, ones(2), 0.9, 0.0, 1e-6)", "ValueError",
             "state 0 has shape (3,) and its parameter has shape (2,)");

DYAD_OP(
    "apply_centered_rms_prop(var: Tensor, mean_gradient: Tensor, mean_square: Tensor, moment: Tensor, "
    "grad: Tensor, learning_rate: Operand, decay: float, momentum: float, epsilon: float, "
    "use_locking: bool=False) -> Tensor")
    .doc("One centered RMSProp step: RMSProp over the variance of the gradient. g is `grad`.")
    .formula(
        "mean_gradient = decay · mean_gradient + (1 − decay) · g, mean_square = decay · mean_square + (1 − "
        "decay) · g²")
    .formula("moment = momentum · moment + learning_rate · g / √(mean_square − mean_gradient² + epsilon)")
    .formula("var −= moment")
    .arg("var", "the parameter, floats; changed.")
    .arg("mean_gradient", "mean of gradients, of the shape of `var`; changed.")
    .arg("mean_square", "mean of squared gradients, of the shape of `var`; changed.")
    .arg("moment", "velocity, of the shape of `var`; changed.")
    .arg("grad", "of the shape of `var`.")
    .arg("learning_rate", "learning rate.")
    .arg("decay", "decay rate of the means, in [0, 1).")
    .arg("momentum", "decay rate of the velocity.")
    .arg("epsilon", "added under the root.")
    .returns("`var`.")
    .see("nn.RMSProp")
    .hidden()
    .primitive(
        "ApplyCenteredRMSProp(use_locking=False)(var, mean_gradient, mean_square, moment, grad, "
        "learning_rate, decay, momentum, epsilon)")
    .alias("rho", "decay")
    .writes(0)
    .updates({1, 2, 3})
    .compose([](const Call& call) {
      rmsprop_step.all(ValueList{call.value(0)}, ValueList{call.value(4)}, ValueList{call.value(2)},
                       ValueList{call.value(3)}, ValueList{call.value(1)}, ValueList{as_value(call, 5)},
                       ValueList{}, call.real(6), call.real(7), call.real(8));
      return call.value(0);
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(2, 3), T(2, 3), T(2, 3, lo=9, hi=10), T(2, 3), T(2, 3), 0.1, 0.9, 0.5, 1e-6)")
    .rejects("ops.ApplyCenteredRMSProp()(ones(2), ones(2), ones(2), ones(3), ones(2), 0.1, 0.9, 0.0, 1e-6)",
             "ValueError", "state 0 has shape (3,) and its parameter has shape (2,)");

}  // namespace dyad
