#include "ops/optim/apply.h"
#include "ops/optim/step.h"

// The classes that move one variable as Adam does, in terms of the steps over many.

namespace dyad {

namespace {

DYAD_USE(abs, adam_step, adam_weight_decay_step, adamax_step, assign, cast, maximum, sqrt);

using optim::any_open;
using optim::as_value;
using optim::changed;

/// Writes a state or variable, in its own dtype, and returns the new value.
Value store(const Value& state, const Value& value) { return assign(state, cast(value, state->dtype)); }

/// The mean of the gradients so far, which each step moves by 1 - beta towards the newest.
Value moved_mean(const Value& mean, const Value& beta, const Value& newest) {
  return store(mean, mean * beta + newest * (1.0 - beta));
}

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

/// The same with dynamic betas and epsilon: `beta1` is the place of the
/// first of them.
void move_open(const Call& call, const Positions& at, size_t beta1, const ValueList& largest, bool nesterov) {
  const Value& gradient = call.value(at.gradient);
  const Value first = as_value(call, beta1), second = as_value(call, beta1 + 1);
  const Value mean = moved_mean(call.value(1), first, gradient);
  Value squares = moved_mean(call.value(2), second, gradient * gradient);
  if (!largest.empty()) squares = store(largest[0], maximum(largest[0], squares));
  const Value rate =
      as_value(call, at.rate) * sqrt(1.0 - as_value(call, at.power1 + 1)) / (1.0 - as_value(call, at.power1));
  const Value ahead = nesterov ? mean * first + gradient * (1.0 - first) : mean;
  store(call.value(0), call.value(0) - rate * ahead / (sqrt(squares) + as_value(call, beta1 + 2)));
}

}  // namespace

DYAD_OP(
    "apply_adam(var: Tensor, m: Tensor, v: Tensor, beta1_power: Operand, beta2_power: Operand, lr: Operand, "
    "beta1: Operand, beta2: Operand, epsilon: Operand, gradient: Tensor, use_locking: bool=False, "
    "use_nesterov: bool=False) -> (Tensor, Tensor, Tensor)")
    .doc("One Adam step with the given powers of the betas. g is `gradient`.")
    .formula("m = beta1 · m + (1 − beta1) · g, v = beta2 · v + (1 − beta2) · g²")
    .formula("rate = lr · √(1 − beta2_power) / (1 − beta1_power)")
    .formula("var −= rate · m / (√v + epsilon)")
    .formula("var −= rate · (beta1 · m + (1 − beta1) · g) / (√v + epsilon)", "use_nesterov=True")
    .arg("var", "the parameter, floats; changed.")
    .arg("m", "first moment, of the shape of `var`; changed.")
    .arg("v", "second moment, of the shape of `var`; changed.")
    .arg("beta1_power", "beta1 to the power of the number of steps.")
    .arg("beta2_power", "beta2 to the power of the number of steps.")
    .arg("lr", "learning rate.")
    .arg("beta1", "decay rate of the first moment, in [0, 1).")
    .arg("beta2", "decay rate of the second moment, in [0, 1).")
    .arg("epsilon", "added to the divisor.")
    .arg("gradient", "of the shape of `var`.")
    .arg("use_nesterov", "whether the step is Nesterov's.")
    .returns("Tuple of var, m and v.")
    .see("nn.Adam")
    .reference("arXiv:1412.6980")
    .hidden()
    .primitive(
        "Adam(use_locking=False, use_nesterov=False)(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, "
        "epsilon, gradient)")
    .alias("grad", "gradient")
    .updates({0, 1, 2})
    .compose([](const Call& call) {
      if (any_open(call, 6, 8)) {
        move_open(call, {3, 5, 9}, 6, {}, call.flag(11));
      } else {
        move(call, {3, 5, 9}, {}, call.real(6), call.real(7), call.real(8), call.flag(11));
      }
      return changed(call, 0, 2);
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(2, 3), T(2, 3), T(2, 3, lo=0), 0.9, 0.99, 0.1, 0.9, 0.99, 1e-8, T(2, 3))")
    .rejects("ops.Adam()(ones(2), ones(2), ones(2), 0.9, 0.99, 0.1, 0.9, 0.99, 1e-8, ones(3))", "ValueError",
             "gradient 0 has shape (3,) and its parameter has shape (2,)");

DYAD_OP(
    "apply_adam_with_amsgrad(var: Tensor, m: Tensor, v: Tensor, vhat: Tensor, beta1_power: Operand, "
    "beta2_power: Operand, lr: Operand, grad: Tensor, beta1: Operand=0.9, beta2: Operand=0.999, "
    "epsilon: Operand=1e-8, use_locking: bool=False) -> (Tensor, Tensor, Tensor, Tensor)")
    .doc("One AMSGrad step: Adam over the largest second moment so far. g is `grad`.")
    .formula("m = beta1 · m + (1 − beta1) · g, v = beta2 · v + (1 − beta2) · g², vhat = max(vhat, v)")
    .formula("rate = lr · √(1 − beta2_power) / (1 − beta1_power)")
    .formula("var −= rate · m / (√vhat + epsilon)")
    .arg("var", "the parameter, floats; changed.")
    .arg("m", "first moment, of the shape of `var`; changed.")
    .arg("v", "second moment, of the shape of `var`; changed.")
    .arg("vhat", "largest second moment, of the shape of `var`; changed.")
    .arg("beta1_power", "beta1 to the power of the number of steps.")
    .arg("beta2_power", "beta2 to the power of the number of steps.")
    .arg("lr", "learning rate.")
    .arg("grad", "of the shape of `var`.")
    .arg("beta1", "decay rate of the first moment, in [0, 1).")
    .arg("beta2", "decay rate of the second moment, in [0, 1).")
    .arg("epsilon", "added to the divisor.")
    .returns("Tuple of var, m, v and vhat.")
    .see("nn.Adam")
    .reference("arXiv:1904.09237")
    .hidden()
    .primitive(
        "ApplyAdamWithAmsgrad(beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False)(var, m, v, vhat, "
        "beta1_power, beta2_power, lr, grad)")
    .primitive(
        "ApplyAdamWithAmsgradV2(use_locking=False)(var, m, v, vhat, beta1_power, beta2_power, lr, beta1, "
        "beta2, epsilon, grad)")
    .updates({0, 1, 2, 3})
    .compose([](const Call& call) {
      if (any_open(call, 8, 10)) {
        move_open(call, {4, 6, 7}, 8, {call.value(3)}, false);
      } else {
        move(call, {4, 6, 7}, {call.value(3)}, call.real(8), call.real(9), call.real(10), false);
      }
      return changed(call, 0, 3);
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(2, 3), T(2, 3), T(2, 3, lo=0), T(2, 3, lo=0), 0.9, 0.99, 0.1, T(2, 3))")
    .rejects("ops.ApplyAdamWithAmsgrad()(ones(2), ones(2), ones(2), ones(3), 0.9, 0.99, 0.1, ones(2))",
             "ValueError", "state 0 has shape (3,) and its parameter has shape (2,)");

DYAD_OP(
    "apply_adam_weight_decay(var: Tensor, m: Tensor, v: Tensor, lr: Operand, beta1: Operand, beta2: Operand, "
    "epsilon: Operand, decay: Operand, gradient: Tensor, use_locking: bool=False) -> (Tensor, Tensor, "
    "Tensor)")
    .doc("One Adam step with decoupled weight decay and without bias correction. g is `gradient`.")
    .formula("m = beta1 · m + (1 − beta1) · g, v = beta2 · v + (1 − beta2) · g²")
    .formula("var −= lr · (m / (√v + epsilon) + decay · var)")
    .arg("var", "the parameter, floats; changed.")
    .arg("m", "first moment, of the shape of `var`; changed.")
    .arg("v", "second moment, of the shape of `var`; changed.")
    .arg("lr", "learning rate.")
    .arg("beta1", "decay rate of the first moment, in [0, 1).")
    .arg("beta2", "decay rate of the second moment, in [0, 1).")
    .arg("epsilon", "added to the divisor.")
    .arg("decay", "weight decay.")
    .arg("gradient", "of the shape of `var`.")
    .returns("Tuple of var, m and v.")
    .see("nn.AdamWeightDecay")
    .reference("arXiv:1711.05101")
    .hidden()
    .primitive("AdamWeightDecay(use_locking=False)(var, m, v, lr, beta1, beta2, epsilon, decay, gradient)")
    .updates({0, 1, 2})
    .compose([](const Call& call) {
      if (any_open(call, 4, 6)) {
        const Value& gradient = call.value(8);
        const Value mean = moved_mean(call.value(1), as_value(call, 4), gradient);
        const Value squares = moved_mean(call.value(2), as_value(call, 5), gradient * gradient);
        const Value move = mean / (sqrt(squares) + as_value(call, 6)) + call.value(0) * as_value(call, 7);
        store(call.value(0), call.value(0) - as_value(call, 3) * move);
        return changed(call, 0, 2);
      }
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
    "apply_ada_max(var: Tensor, m: Tensor, v: Tensor, beta1_power: Operand, lr: Operand, beta1: Operand, "
    "beta2: Operand, epsilon: Operand, grad: Tensor) -> (Tensor, Tensor, Tensor)")
    .doc("One AdaMax step: Adam over the largest gradient, which decays by beta2. g is `grad`.")
    .formula("m = beta1 · m + (1 − beta1) · g, v = max(beta2 · v, |g|)")
    .formula("var −= lr / (1 − beta1_power) · m / (v + epsilon)")
    .arg("var", "the parameter, floats; changed.")
    .arg("m", "first moment, of the shape of `var`; changed.")
    .arg("v", "largest gradient, of the shape of `var`; changed.")
    .arg("beta1_power", "beta1 to the power of the number of steps.")
    .arg("lr", "learning rate.")
    .arg("beta1", "decay rate of the first moment, in [0, 1).")
    .arg("beta2", "decay rate of the largest gradient, in [0, 1).")
    .arg("epsilon", "added to the divisor.")
    .arg("grad", "of the shape of `var`.")
    .returns("Tuple of var, m and v.")
    .see("nn.AdaMax")
    .reference("arXiv:1412.6980")
    .hidden()
    .primitive("ApplyAdaMax")
    .updates({0, 1, 2})
    .compose([](const Call& call) {
      if (any_open(call, 5, 7)) {
        const Value& gradient = call.value(8);
        const Value mean = moved_mean(call.value(1), as_value(call, 5), gradient);
        const Value largest = store(call.value(2), maximum(call.value(2) * as_value(call, 6), abs(gradient)));
        const Value rate = as_value(call, 4) / (1.0 - as_value(call, 3));
        store(call.value(0), call.value(0) - rate * mean / (largest + as_value(call, 7)));
        return changed(call, 0, 2);
      }
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
