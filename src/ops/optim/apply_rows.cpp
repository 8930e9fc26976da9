#include "base/error.h"
#include "ops/index/index.h"
#include "ops/optim/apply.h"
#include "ops/optim/step.h"

// The classes that move some rows of a variable, those for which there is a gradient, in terms of the ones
// that move whole variables.

namespace dyad {

namespace {

DYAD_USE(apply_adadelta, apply_adagrad, apply_adagrad_da, apply_adam, apply_centered_rms_prop, apply_ftrl,
         apply_momentum, apply_proximal_adagrad, apply_proximal_gradient_descent, apply_rms_prop, assign,
         embed_index, index_gather, index_update);

using optim::changed;

bool differ(Dim a, Dim b) { return a.known() && b.known() && !(a == b); }

bool differ(const Shape& a, const Shape& b, size_t from) {
  bool found = a.size() != b.size();
  for (size_t d = from; !found && d < a.size(); ++d) found = differ(a[d], b[d]);
  return found;
}

/// The rows of a variable and of its states at indices, on which a step works as on whole tensors. The
/// gradients of equal indices add up.
class Rows {
 public:
  /// Argument 0 is the variable, the next `states` are its states, `gradient` its gradient, which indices
  /// follow.
  Rows(const Call& call, size_t states, size_t gradient)
      : call_(call), places_(index_along(0, call.value(gradient + 1))) {
    const Shape& shape = call.in(0).shape;
    const ValueImpl& given = call.in(gradient);
    const ValueImpl& indices = call.in(gradient + 1);
    for (size_t i = 1; i <= states; ++i) {
      if (differ(call.in(i).shape, shape, 0)) {
        value_error(call.op(), ": a state has shape ", call.in(i).shape, " and its variable has shape ",
                    shape);
      }
    }
    if (!is_int(indices.dtype))
      type_error(call.op(), ": indices have dtype ", indices.dtype, "; accepted are integers");
    if (indices.rank() != 1)
      value_error(call.op(), ": indices have shape ", indices.shape, "; need one dimension");
    if (shape.empty() || differ(given.shape, shape, 1) || differ(given.shape[0], indices.shape[0])) {
      value_error(call.op(), ": the gradient has shape ", given.shape, "; need a row of the variable, ",
                  shape, ", for each of ", indices.shape, " indices");
    }
    total_ = embed_index(call.value(gradient), shape, places_);
    for (size_t i = 0; i <= states; ++i) rows_.push_back(index_gather(call.value(i), places_));
  }
  /// The gradient of the whole variable: zero in all other rows.
  const Value& total() const { return total_; }
  Value gradient() const { return index_gather(total_, places_); }
  /// Rows of the variable, or of the state at this argument.
  const Value& operator[](size_t argument) const { return rows_[argument]; }
  /// Puts the rows, which a step has changed, back where they came from.
  ValueList write() const {
    for (size_t i = 0; i < rows_.size(); ++i)
      assign(call_.value(i), index_update(call_.value(i), places_, rows_[i], "none"));
    return changed(call_, 0, rows_.size() - 1);
  }

 private:
  const Call& call_;
  ValueList places_;
  Value total_;
  ValueList rows_;
};

constexpr std::string_view kOtherRows = "variable has shape (3, 2)";

}  // namespace

DYAD_OP(
    "apply_adam_sparse(var: Tensor, m: Tensor, v: Tensor, beta1_power: Operand, beta2_power: Operand, "
    "lr: Operand, beta1: float, beta2: float, epsilon: float, grad: Tensor, indices: Tensor, "
    "use_locking: bool=False, use_nesterov: bool=False) -> (Tensor, Tensor, Tensor)")
    .doc(
        "One Adam step for a gradient that is 0 except in some rows. All rows change, by their moments. g is "
        "the gradient of all rows.")
    .formula("g[r] = Σ grad[k] over k with indices[k] = r")
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
    .arg("grad", "one row for each index; gradients of equal indices add up.")
    .arg("indices", "rows of `var`, integers of shape (n,).")
    .arg("use_nesterov", "whether the step is Nesterov's.")
    .returns("Tuple of var, m and v.")
    .see("nn.Adam")
    .hidden()
    .primitive(
        "FusedSparseAdam(use_locking=False, use_nesterov=False)(var, m, v, beta1_power, beta2_power, lr, "
        "beta1, "
        "beta2, epsilon, grad, indices)")
    .updates({0, 1, 2})
    .compose([](const Call& call) {
      const Rows rows(call, 2, 9);
      apply_adam.all(call[0], call[1], call[2], call[3], call[4], call[5], call[6], call[7], call[8],
                     rows.total(), false, call[12]);
      return changed(call, 0, 2);
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(4, 3), T(4, 3), T(4, 3, lo=0), 0.9, 0.99, 0.1, 0.9, 0.99, 1e-8, T(2, 3), I(2))")
    .rejects(
        "ops.FusedSparseAdam()(ones(3, 2), ones(3, 2), ones(3, 3), 0.9, 0.99, 0.1, 0.9, 0.99, 1e-8, ones(2, "
        "2), "
        "ints(2))",
        "ValueError", kOtherRows);

DYAD_OP(
    "apply_adam_rows(var: Tensor, m: Tensor, v: Tensor, beta1_power: Operand, beta2_power: Operand, "
    "lr: Operand, beta1: float, beta2: float, epsilon: float, grad: Tensor, indices: Tensor, "
    "use_locking: bool=False, use_nesterov: bool=False) -> (Tensor, Tensor, Tensor)")
    .doc(
        "One lazy Adam step. Only the rows of `var` and of its states at `indices` change. g are the "
        "gradients of these rows.")
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
    .arg("grad", "one row for each index; gradients of equal indices add up.")
    .arg("indices", "rows of `var`, integers of shape (n,).")
    .arg("use_nesterov", "whether the step is Nesterov's.")
    .returns("Tuple of var, m and v.")
    .see("nn.LazyAdam")
    .hidden()
    .primitive(
        "FusedSparseLazyAdam(use_locking=False, use_nesterov=False)(var, m, v, beta1_power, beta2_power, lr, "
        "beta1, beta2, epsilon, grad, indices)")
    .updates({0, 1, 2})
    .compose([](const Call& call) {
      const Rows rows(call, 2, 9);
      apply_adam.all(rows[0], rows[1], rows[2], call[3], call[4], call[5], call[6], call[7], call[8],
                     rows.gradient(), false, call[12]);
      return rows.write();
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(4, 3), T(4, 3), T(4, 3, lo=0), 0.9, 0.99, 0.1, 0.9, 0.99, 1e-8, T(2, 3), I(2))")
    .rejects(
        "ops.FusedSparseLazyAdam()(ones(3, 2), ones(3, 2), ones(3, 2), 0.9, 0.99, 0.1, 0.9, 0.99, 1e-8, "
        "ones(2, "
        "2), ints(3))",
        "ValueError", "need a row of the variable");

DYAD_OP(
    "apply_ftrl_rows(var: Tensor, accum: Tensor, linear: Tensor, grad: Tensor, indices: Tensor, lr: float, "
    "l1: float, l2: float, lr_power: float, use_locking: bool=False) -> (Tensor, Tensor, Tensor)")
    .doc(
        "FTRL (follow the regularized leader) step. Only the rows of `var` and of its states at `indices` "
        "change. g are the gradients of these rows and p = −lr_power.")
    .formula("σ = ((accum + g²)^p − accum^p) / lr, linear += g − σ · var, accum += g²")
    .formula("var = (sign(linear) · l1 − linear) / (accum^p / lr + 2 · l2)", "|linear| > l1")
    .formula("var = 0", "|linear| ≤ l1")
    .arg("var", "the parameter, floats; changed.")
    .arg("accum", "sum of squared gradients, of the shape of `var`; changed.")
    .arg("linear", "linear part, of the shape of `var`; changed.")
    .arg("grad", "one row for each index; gradients of equal indices add up.")
    .arg("indices", "rows of `var`, integers of shape (n,).")
    .arg("lr", "learning rate.")
    .arg("l1", "L1 penalty.")
    .arg("l2", "L2 penalty.")
    .arg("lr_power", "power of the sum of squares, ≤ 0.")
    .returns("Tuple of var, accum and linear.")
    .see("nn.FTRL")
    .hidden()
    .primitive("FusedSparseFtrl(lr, l1, l2, lr_power, use_locking=False)(var, accum, linear, grad, indices)")
    .primitive("SparseApplyFtrl(lr, l1, l2, lr_power, use_locking=False)(var, accum, linear, grad, indices)")
    .updates({0, 1, 2})
    .compose([](const Call& call) {
      const Rows rows(call, 2, 3);
      apply_ftrl(rows[0], rows[1], rows[2], rows.gradient(), call[5], call[6], call[7], call[8]);
      return rows.write();
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(4, 3), T(4, 3, lo=1), T(4, 3), T(2, 3), I(2), 0.1, 0.01, 0.02, -0.5)")
    .rejects(
        "ops.SparseApplyFtrl(0.1, 0.0, 0.0, -0.5)(ones(3, 2), ones(3, 2), ones(3, 3), ones(2, 2), ints(2))",
        "ValueError", kOtherRows);

DYAD_OP(
    "apply_proximal_adagrad_rows(var: Tensor, accum: Tensor, lr: Operand, l1: float, l2: float, grad: "
    "Tensor, "
    "indices: Tensor, use_locking: bool=False) -> (Tensor, Tensor)")
    .doc(
        "One proximal Adagrad step. Only the rows of `var` and of its states at `indices` change. g are the "
        "gradients of these rows.")
    .formula("accum += g², η = lr / √accum, z = var − η · g")
    .formula("var = sign(z) · max(|z| − η · l1, 0) / (1 + η · l2)")
    .arg("var", "the parameter, floats; changed.")
    .arg("accum", "sum of squared gradients, of the shape of `var`; changed.")
    .arg("lr", "learning rate.")
    .arg("l1", "L1 penalty.")
    .arg("l2", "L2 penalty.")
    .arg("grad", "one row for each index; gradients of equal indices add up.")
    .arg("indices", "rows of `var`, integers of shape (n,).")
    .returns("Tuple of var and accum.")
    .see("nn.ProximalAdagrad")
    .hidden()
    .primitive("FusedSparseProximalAdagrad(use_locking=False)(var, accum, lr, l1, l2, grad, indices)")
    .primitive("SparseApplyProximalAdagrad(use_locking=False)(var, accum, lr, l1, l2, grad, indices)")
    .updates({0, 1})
    .compose([](const Call& call) {
      const Rows rows(call, 1, 5);
      apply_proximal_adagrad.all(rows[0], rows[1], call[2], call[3], call[4], rows.gradient());
      return rows.write();
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(4, 3), T(4, 3, lo=1), 0.1, 0.01, 0.02, T(2, 3), I(2))")
    .rejects("ops.SparseApplyProximalAdagrad()(ones(3, 2), ones(3, 3), 0.1, 0.1, 0.1, ones(2, 2), ints(2))",
             "ValueError", kOtherRows);

DYAD_OP(
    "apply_adagrad_rows(var: Tensor, accum: Tensor, grad: Tensor, indices: Tensor, lr: float, epsilon: "
    "float=0.0, "
    "update_slots: bool=True, use_locking: bool=False) -> (Tensor, Tensor)")
    .doc(
        "One Adagrad step. Only the rows of `var` and of its states at `indices` change. g are the gradients "
        "of these rows.")
    .formula("accum += g²", "update_slots=True")
    .formula("var −= lr · g / (√accum + epsilon)")
    .arg("var", "the parameter, floats; changed.")
    .arg("accum", "sum of squared gradients, of the shape of `var`; changed.")
    .arg("grad", "one row for each index; gradients of equal indices add up.")
    .arg("indices", "rows of `var`, integers of shape (n,).")
    .arg("lr", "learning rate.")
    .arg("epsilon", "added to the divisor.")
    .arg("update_slots", "whether `accum` is changed.")
    .returns("Tuple of var and accum.")
    .see("nn.Adagrad")
    .hidden()
    .primitive("SparseApplyAdagrad(lr, update_slots=True, use_locking=False)(var, accum, grad, indices)")
    .primitive(
        "SparseApplyAdagradV2(lr, epsilon, use_locking=False, update_slots=True)(var, accum, grad, indices)")
    .updates({0, 1})
    .compose([](const Call& call) {
      const Rows rows(call, 1, 2);
      apply_adagrad.all(rows[0], rows[1], call[4], rows.gradient(), call[5], call[6]);
      return rows.write();
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(4, 3), T(4, 3, lo=1), T(2, 3), I(2), 0.1)")
    .rejects("ops.SparseApplyAdagrad(0.1)(ones(3, 2), ones(3, 3), ones(2, 2), ints(2))", "ValueError",
             kOtherRows);

DYAD_OP(
    "apply_adagrad_da_rows(var: Tensor, grad_accum: Tensor, grad_square_accum: Tensor, grad: Tensor, "
    "indices: Tensor, lr: Operand, l1: Operand, l2: Operand, global_step: Operand, use_locking: bool=False) "
    "-> "
    "Tensor")
    .doc(
        "One step of Adagrad with dual averaging. Only the rows of `var` and of its states at `indices` "
        "change. g are the gradients of these rows.")
    .formula("grad_accum += g, grad_square_accum += g²")
    .formula("s = sign(grad_accum) · max(|grad_accum| − global_step · l1, 0)")
    .formula("var = −lr · s / (global_step · lr · l2 + √grad_square_accum)")
    .arg("var", "the parameter, floats; changed.")
    .arg("grad_accum", "sum of gradients, of the shape of `var`; changed.")
    .arg("grad_square_accum", "sum of squared gradients, of the shape of `var`; changed.")
    .arg("grad", "one row for each index; gradients of equal indices add up.")
    .arg("indices", "rows of `var`, integers of shape (n,).")
    .arg("lr", "learning rate.")
    .arg("l1", "L1 penalty.")
    .arg("l2", "L2 penalty.")
    .arg("global_step", "number of steps, this one included.")
    .returns("`var`.")
    .hidden()
    .primitive(
        "SparseApplyAdagradDA(use_locking=False)(var, grad_accum, grad_square_accum, grad, indices, lr, l1, "
        "l2, "
        "global_step)")
    .writes(0)
    .updates({1, 2})
    .compose([](const Call& call) {
      const Rows rows(call, 2, 3);
      apply_adagrad_da(rows[0], rows[1], rows[2], rows.gradient(), call[5], call[6], call[7], call[8]);
      return rows.write()[0];
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(4, 3), T(4, 3), T(4, 3, lo=1), T(2, 3), I(2), 0.1, 0.01, 0.02, 3)")
    .rejects(
        "ops.SparseApplyAdagradDA()(ones(3, 2), ones(3, 3), ones(3, 2), ones(2, 2), ints(2), 0.1, 0.1, 0.1, "
        "1)",
        "ValueError", kOtherRows);

DYAD_OP(
    "apply_adadelta_rows(var: Tensor, accum: Tensor, accum_update: Tensor, lr: Operand, rho: float, "
    "grad: Tensor, indices: Tensor, epsilon: float, use_locking: bool=False) -> (Tensor, Tensor, Tensor)")
    .doc(
        "One Adadelta step. Only the rows of `var` and of its states at `indices` change. g are the "
        "gradients of these rows.")
    .formula("accum = rho · accum + (1 − rho) · g²")
    .formula("u = √(accum_update + epsilon) / √(accum + epsilon) · g")
    .formula("accum_update = rho · accum_update + (1 − rho) · u², var −= lr · u")
    .arg("var", "the parameter, floats; changed.")
    .arg("accum", "mean of squared gradients, of the shape of `var`; changed.")
    .arg("accum_update", "mean of squared updates, of the shape of `var`; changed.")
    .arg("lr", "learning rate.")
    .arg("rho", "decay rate of the means, in [0, 1).")
    .arg("grad", "one row for each index; gradients of equal indices add up.")
    .arg("indices", "rows of `var`, integers of shape (n,).")
    .arg("epsilon", "added under the roots.")
    .returns("Tuple of var, accum and accum_update.")
    .see("nn.Adadelta")
    .hidden()
    .primitive(
        "SparseApplyAdadelta(epsilon, use_locking=False)(var, accum, accum_update, lr, rho, grad, indices)")
    .alias("accum_updata", "accum_update")
    .updates({0, 1, 2})
    .compose([](const Call& call) {
      const Rows rows(call, 2, 5);
      apply_adadelta.all(rows[0], rows[1], rows[2], call[3], call[4], call[7], rows.gradient());
      return rows.write();
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(4, 3), T(4, 3, lo=0), T(4, 3, lo=0), 0.1, 0.9, T(2, 3), I(2), 1e-6)")
    .rejects(
        "ops.SparseApplyAdadelta(1e-6)(ones(3, 2), ones(3, 2), ones(3, 3), 0.1, 0.9, ones(2, 2), ints(2))",
        "ValueError", kOtherRows);

DYAD_OP(
    "apply_rms_prop_rows(var: Tensor, ms: Tensor, mom: Tensor, lr: Operand, grad: Tensor, indices: Tensor, "
    "rho: float, momentum: float, epsilon: float, use_locking: bool=False) -> (Tensor, Tensor, Tensor)")
    .doc(
        "One RMSProp step with momentum. Only the rows of `var` and of its states at `indices` change. g are "
        "the gradients of these rows.")
    .formula("ms = rho · ms + (1 − rho) · g²")
    .formula("mom = momentum · mom + lr · g / √(ms + epsilon)")
    .formula("var −= mom")
    .arg("var", "the parameter, floats; changed.")
    .arg("ms", "mean of squared gradients, of the shape of `var`; changed.")
    .arg("mom", "velocity, of the shape of `var`; changed.")
    .arg("lr", "learning rate.")
    .arg("grad", "one row for each index; gradients of equal indices add up.")
    .arg("indices", "rows of `var`, integers of shape (n,).")
    .arg("rho", "decay rate of the means, in [0, 1).")
    .arg("momentum", "decay rate of the velocity.")
    .arg("epsilon", "added under the root.")
    .returns("Tuple of var, ms and mom.")
    .see("nn.RMSProp")
    .hidden()
    .primitive(
        "SparseApplyRMSProp(rho, momentum, epsilon, use_locking=False)(var, ms, mom, lr, grad, indices)")
    .updates({0, 1, 2})
    .compose([](const Call& call) {
      const Rows rows(call, 2, 4);
      apply_rms_prop(rows[0], rows[1], rows[2], call[3], rows.gradient(), call[6], call[7], call[8]);
      return rows.write();
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(4, 3), T(4, 3, lo=1), T(4, 3), 0.1, T(2, 3), I(2), 0.9, 0.5, 1e-6)")
    .rejects(
        "ops.SparseApplyRMSProp(0.9, 0.0, 1e-6)(ones(3, 2), ones(3, 2), ones(3, 3), 0.1, ones(2, 2), "
        "ints(2))",
        "ValueError", kOtherRows);

DYAD_OP(
    "apply_centered_rms_prop_rows(var: Tensor, mg: Tensor, ms: Tensor, mom: Tensor, lr: Operand, rho: float, "
    "momentum: float, epsilon: float, grad: Tensor, indices: Tensor, use_locking: bool=False) -> Tensor")
    .doc(
        "One centered RMSProp step. Only the rows of `var` and of its states at `indices` change. g are the "
        "gradients of these rows.")
    .formula("mg = rho · mg + (1 − rho) · g, ms = rho · ms + (1 − rho) · g²")
    .formula("mom = momentum · mom + lr · g / √(ms − mg² + epsilon)")
    .formula("var −= mom")
    .arg("var", "the parameter, floats; changed.")
    .arg("mg", "mean of gradients, of the shape of `var`; changed.")
    .arg("ms", "mean of squared gradients, of the shape of `var`; changed.")
    .arg("mom", "velocity, of the shape of `var`; changed.")
    .arg("lr", "learning rate.")
    .arg("rho", "decay rate of the means, in [0, 1).")
    .arg("momentum", "decay rate of the velocity.")
    .arg("epsilon", "added under the root.")
    .arg("grad", "one row for each index; gradients of equal indices add up.")
    .arg("indices", "rows of `var`, integers of shape (n,).")
    .returns("`var`.")
    .see("nn.RMSProp")
    .hidden()
    .primitive(
        "SparseApplyCenteredRMSProp(use_locking=False)(var, mg, ms, mom, lr, rho, momentum, epsilon, grad, "
        "indices)")
    .writes(0)
    .updates({1, 2, 3})
    .compose([](const Call& call) {
      const Rows rows(call, 3, 8);
      apply_centered_rms_prop(rows[0], rows[1], rows[2], rows[3], rows.gradient(), call[4], call[5], call[6],
                              call[7]);
      return rows.write()[0];
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(4, 3), T(4, 3), T(4, 3, lo=9, hi=10), T(4, 3), 0.1, 0.9, 0.5, 1e-6, T(2, 3), I(2))")
    .rejects(
        "ops.SparseApplyCenteredRMSProp()(ones(3, 2), ones(3, 2), ones(3, 2), ones(3, 3), 0.1, 0.9, 0.0, "
        "1e-6, "
        "ones(2, 2), ints(2))",
        "ValueError", kOtherRows);

DYAD_OP(
    "apply_momentum_rows(var: Tensor, accum: Tensor, lr: Operand, grad: Tensor, indices: Tensor, "
    "momentum: Operand, use_locking: bool=False, use_nesterov: bool=False) -> Tensor")
    .doc(
        "One step of gradient descent with momentum. Only the rows of `var` and of its states at `indices` "
        "change. g are the gradients of these rows.")
    .formula("accum = momentum · accum + g")
    .formula("var −= lr · accum")
    .formula("var −= lr · (momentum · accum + g)", "use_nesterov=True")
    .arg("var", "the parameter, floats; changed.")
    .arg("accum", "velocity, of the shape of `var`; changed.")
    .arg("lr", "learning rate.")
    .arg("grad", "one row for each index; gradients of equal indices add up.")
    .arg("indices", "rows of `var`, integers of shape (n,).")
    .arg("momentum", "decay rate of the velocity.")
    .arg("use_nesterov", "whether the step is Nesterov's.")
    .returns("`var`.")
    .see("nn.Momentum")
    .hidden()
    .primitive(
        "SparseApplyMomentum(use_locking=False, use_nesterov=False)(var, accum, lr, grad, indices, momentum)")
    .writes(0)
    .updates({1})
    .compose([](const Call& call) {
      const Rows rows(call, 1, 3);
      apply_momentum(rows[0], rows[1], call[2], rows.gradient(), call[5], call[7]);
      return rows.write()[0];
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(4, 3), T(4, 3), 0.1, T(2, 3), I(2), 0.9)")
    .rejects("ops.SparseApplyMomentum()(ones(3, 2), ones(3, 3), 0.1, ones(2, 2), ints(2), 0.9)", "ValueError",
             kOtherRows);

DYAD_OP(
    "apply_proximal_gradient_descent_rows(var: Tensor, alpha: Operand, l1: Operand, l2: Operand, grad: "
    "Tensor, "
    "indices: Tensor, use_locking: bool=False) -> Tensor")
    .doc(
        "One step of proximal gradient descent. Only the rows of `var` at `indices` change. g are the "
        "gradients of these rows.")
    .formula("z = var − alpha · g")
    .formula("var = sign(z) · max(|z| − alpha · l1, 0) / (1 + alpha · l2)")
    .arg("var", "the parameter, floats; changed.")
    .arg("alpha", "learning rate.")
    .arg("l1", "L1 penalty.")
    .arg("l2", "L2 penalty.")
    .arg("grad", "one row for each index; gradients of equal indices add up.")
    .arg("indices", "rows of `var`, integers of shape (n,).")
    .returns("`var`.")
    .hidden()
    .primitive("SparseApplyProximalGradientDescent(use_locking=False)(var, alpha, l1, l2, grad, indices)")
    .writes(0)
    .compose([](const Call& call) {
      const Rows rows(call, 0, 4);
      apply_proximal_gradient_descent(rows[0], call[1], call[2], call[3], rows.gradient());
      return rows.write()[0];
    })
    .no_grad(optim::kNoGradient)
    .samples("call(T(4, 3), 0.1, 0.01, 0.02, T(2, 3), I(2))")
    .rejects("ops.SparseApplyProximalGradientDescent()(ones(3, 2), 0.1, 0.1, 0.1, ones(2, 3), ints(2))",
             "ValueError", "need a row of the variable");

}  // namespace dyad
