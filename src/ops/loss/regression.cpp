#include "base/error.h"
#include "ops/elementwise/gradient.h"
#include "ops/infer.h"
#include "ops/loss/arguments.h"
#include "ops/reduce/reduced_axes.h"

namespace dyad {

namespace {

DYAD_USE(abs, cast, clamp, less, sign, smooth_distance, square, sum, where, log, maximum);

/// Sets the gradients of a loss (input, target, reduction) of the difference of input and target, whose slope
/// at a difference is given.
template <class Slope>
void set_difference(GradCall& g, const Slope& slope) {
  const Value difference = g.value(0) - g[1];
  Ints axes;
  for (int64_t i = 0; i < difference->rank(); ++i) axes.push_back(i);
  const Value arrived = g.text(2) == "mean" ? g.grad() / reduced_count(difference, axes) : g.grad();
  const Value gradient = slope(difference, arrived);
  set_operand(g, 0, [&] { return gradient; });
  set_operand(g, 1, [&] { return -gradient; });
}

/// As `smooth_distance`, of a beta that is a Tensor.
Value distance_with_variable_beta(const Call& call) {
  const Value distance = abs(call.value(0) - call[1]);
  const Value beta = cast(call.value(2), distance->dtype);
  // Nothing is below a beta of 0; the quotient, which is not chosen, stays finite.
  const Value divisor = where(less(0, beta), beta, 1) * 2;
  return where(less(distance, beta), square(distance) / divisor, distance - beta * 0.5);
}

}  // namespace

DYAD_OP("mse_loss(input: Tensor, target: Tensor, reduction: str='mean') -> Tensor")
    .doc("Mean squared error (squared L2 loss).")
    .formula("loss = (input − target)²")
    .arg("input", "floats, any shape.")
    .arg("target", "broadcasts with `input`.")
    .see("ops.l1_loss, ops.huber_loss, nn.MSELoss")
    .compose_wide([](const Call& call) { return loss::reduce(call, square(call.value(0) - call[1]), 2); })
    .grad([](GradCall& g) {
      set_difference(g, [](const Value& x, const Value& arrived) { return x * (arrived * 2.0); });
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.reduction(np.square(input - target), reduction)")
    .samples("call(T(3, 4), T(3, 4), dtypes='float')", "call(T(3, 4), T(4), 'none')", "call(T(), T(), 'sum')")
    .rejects("ops.mse_loss(ones(2), ones(2), 'avg')", "ValueError",
             "mse_loss: reduction is 'avg'; accepted are")
    .rejects("ops.mse_loss(ones(2), ones(3))", "ValueError", "do not broadcast");

DYAD_OP("l1_loss(input: Tensor, target: Tensor, reduction: str='mean') -> Tensor")
    .doc("Mean absolute error (L1 loss).")
    .formula("loss = |input − target|")
    .arg("input", "floats, any shape.")
    .arg("target", "broadcasts with `input`.")
    .see("ops.mse_loss, ops.smooth_l1_loss, nn.L1Loss")
    .compose_wide([](const Call& call) { return loss::reduce(call, abs(call.value(0) - call[1]), 2); })
    .grad([](GradCall& g) {
      set_difference(g, [](const Value& x, const Value& arrived) { return sign(x) * arrived; });
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.reduction(np.abs(input - target), reduction)")
    .samples("call(T(3, 4), T(3, 4), dtypes='float')", "call(T(3, 4), T(4), 'none')")
    .rejects("ops.l1_loss(ones(2), ones(3))", "ValueError", "do not broadcast");

DYAD_OP("smooth_distance(input: Tensor, target: Tensor, beta: float=1.0) -> Tensor")
    .hidden()
    .doc("|input - target| - beta / 2, and (input - target)^2 / (2 beta) where that is below beta / 2.")
    .elementwise([](const Arguments& args, Results& results) {
      if (!(args.real(2) > 0)) value_error(args.op(), ": beta is ", args.real(2), "; it must be above 0");
      infer::floating(args, results);
    })
    .grad([](GradCall& g) {
      const double beta = g.real(2);
      const Value gradient = clamp(g.value(0) - g[1], -beta, beta) * (g.grad() / beta);
      set_operand(g, 0, [&] { return gradient; });
      set_operand(g, 1, [&] { return -gradient; });
    })
    .numpy("ref.smooth_l1(input, target, beta)")
    .samples("call(T(3, 4), T(3, 4), dtypes='float')", "call(strided(T(3, 4)), T(4), 0.5)",
             "call(T(0, 4), T(0, 4))")
    .rejects("dyad._core.named_op('smooth_distance')(ones(2), ones(2), 0.0)", "ValueError",
             "smooth_distance: beta is 0");

DYAD_OP("smooth_l1_loss(input: Tensor, target: Tensor, beta: Operand=1.0, reduction: str='none') -> Tensor")
    .doc("Smooth L1 loss: quadratic below `beta`, linear above.")
    .formula("loss = (input − target)² / (2 · beta)", "|input − target| < beta")
    .formula("loss = |input − target| − beta / 2", "otherwise")
    .arg("input", "floats, any shape.")
    .arg("target", "broadcasts with `input`.")
    .arg("beta", "difference at which the loss becomes linear, ≥ 0; a number or a tensor.")
    .see("ops.huber_loss, nn.SmoothL1Loss")
    .primitive("SmoothL1Loss(beta=1.0, reduction='none')(prediction:input, target)")
    .compose_wide([](const Call& call) {
      if (call.is_value(2)) return loss::reduce(call, distance_with_variable_beta(call), 3);
      const double beta = call.number(2).to_double();
      if (beta < 0) value_error(call.op(), ": beta is ", beta, "; it must be 0 or more");
      if (beta == 0) return loss::reduce(call, abs(call.value(0) - call[1]), 3);
      return loss::reduce(call, smooth_distance(call[0], call[1], beta), 3);
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.reduction(ref.smooth_l1(input, target, beta), reduction)")
    .samples("call(T(3, 4), T(3, 4), dtypes='float')", "call(T(3, 4), T(3, 4), 0.5, 'mean')",
             "call(T(5), T(5), 0.0, 'sum')", "call(T(3, 4), T(3, 4), V(0.5, 'float32'))")
    .rejects("ops.smooth_l1_loss(ones(2), ones(2), -1.0)", "ValueError", "smooth_l1_loss: beta is -1.0");

DYAD_OP("huber_loss(input: Tensor, target: Tensor, reduction: str='mean', delta: float=1.0) -> Tensor")
    .doc("Huber loss: quadratic up to `delta`, linear above.")
    .formula("loss = (input − target)² / 2", "|input − target| < delta")
    .formula("loss = delta · (|input − target| − delta / 2)", "otherwise")
    .arg("input", "floats, any shape.")
    .arg("target", "broadcasts with `input`.")
    .arg("delta", "difference at which the loss becomes linear, > 0.")
    .see("ops.smooth_l1_loss, nn.HuberLoss")
    .compose_wide([](const Call& call) {
      const double delta = call.real(3);
      if (!(delta > 0)) value_error(call.op(), ": delta is ", delta, "; it must be above 0");
      return loss::reduce(call, smooth_distance(call[0], call[1], delta) * delta, 2);
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.reduction(ref.smooth_l1(input, target, delta) * delta, reduction)")
    .samples("call(T(3, 4), T(3, 4), dtypes='float')", "call(T(3, 4), T(3, 4), 'none', 0.5)")
    .rejects("ops.huber_loss(ones(2), ones(2), 'mean', 0.0)", "ValueError", "huber_loss: delta is 0.0");

DYAD_OP("l2_loss(input_x: Tensor) -> Tensor")
    .hidden()
    .doc("L2 loss: half the sum of squares.")
    .formula("loss = Σ x² / 2")
    .arg("input_x", "floats, any shape.")
    .returns("Tensor of shape ().")
    .see("ops.mse_loss")
    .primitive("L2Loss()(input_x)")
    .compose_wide([](const Call& call) { return sum(square(call[0])) * 0.5; })
    .autocast(Autocast::kFloat32)
    .numpy("np.sum(np.square(input_x)) / 2")
    .samples("call(T(3, 4))")
    .rejects("ops.L2Loss()(3)", "TypeError", "input_x is 3");

DYAD_OP(
    "gaussian_nll_loss(x: Tensor, target: Tensor, var: Tensor, full: bool=False, eps: float=1e-6, "
    "reduction: str='mean') -> Tensor")
    .doc(
        "Gaussian negative log-likelihood of `target` for the mean `x` and the variance `var`, which counts "
        "as at least `eps`.")
    .formula("loss = (log(var) + (x − target)² / var) / 2", "full=False")
    .formula("loss = (log(var) + (x − target)² / var + log(2π)) / 2", "full=True")
    .arg("x", "means, floats, any shape.")
    .arg("target", "broadcasts with `x`.")
    .arg("var", "variances, broadcasts with `x`.")
    .arg("full", "whether the constant term is included.")
    .arg("eps", "smallest variance, > 0.")
    .see("nn.GaussianNLLLoss")
    .compose_wide([](const Call& call) {
      constexpr double kHalfLogTwoPi = 0.91893853320467274178;
      if (!(call.real(4) > 0)) value_error(call.op(), ": eps is ", call.real(4), "; it must be above 0");
      const Value var = maximum(call[2], call[4]);
      Value loss = (log(var) + square(call.value(0) - call[1]) / var) * 0.5;
      if (call.flag(3)) loss = loss + kHalfLogTwoPi;
      return loss::reduce(call, loss, 5);
    })
    .autocast(Autocast::kFloat32)
    .numpy(
        "ref.reduction(0.5 * (np.log(np.maximum(var, eps)) + (x - target) ** 2 / np.maximum(var, eps))"
        " + (0.5 * np.log(2 * np.pi) if full else 0), reduction)")
    .samples("call(T(3, 4), T(3, 4), T(3, 4, lo=0.5, hi=2))",
             "call(T(3, 4), T(3, 4), T(3, 1, lo=0.5, hi=2), True)")
    .rejects("ops.gaussian_nll_loss(ones(2), ones(2), ones(2), eps=0.0)", "ValueError",
             "eps is 0.0; it must be above 0");

}  // namespace dyad
