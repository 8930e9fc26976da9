#include "base/error.h"
#include "ops/call.h"
#include "ops/optim/apply.h"
#include "ops/optim/step.h"
#include "types/agreement.h"

namespace dyad {

namespace {

DYAD_USE(assign, cast, expand_dims, maximum, mean, rsqrt, sqrt, square);

enum Setting { kSquareEpsilon, kScaleEpsilon, kThreshold, kBeta1, kSettings };

Value root_mean_square(const Value& value) { return sqrt(mean(square(value))); }

Value converted(const Value& value, DType dtype) {
  return value->dtype == dtype ? value : cast(value, dtype);
}

/// Moves a running mean towards `value` and returns it.
Value follow(const Value& state, const Value& value, const Value& keep) {
  const Value wide = converted(state, value->dtype);
  const Value moved = wide * keep + value * (1.0 - keep);
  assign(state, converted(moved, state->dtype));
  return moved;
}

struct States {
  Value mean;  ///< empty: without first moment
  Value row;
  Value column;
  Value squares;
};

/// The gradient over the root of its mean square, which for matrices is the product of a row and a column.
Value normalized(const Value& gradient, const States& states, const Value& beta2, double epsilon) {
  const Value squares = square(gradient) + epsilon;
  if (gradient->rank() < 2) return gradient * rsqrt(follow(states.squares, squares, beta2));
  const Value row = follow(states.row, mean(squares, Dims{-1}), beta2);
  const Value column = follow(states.column, mean(squares, Dims{-2}), beta2);
  const Value relative = rsqrt(row / mean(row, Dims{-1}, true));
  return gradient * expand_dims(relative, -1) * expand_dims(rsqrt(column), -2);
}

/// Settings that are the same for all parameters.
struct Rule {
  Value beta2;
  Value rate;
  Value decay;      ///< empty: weights do not decay
  Floats settings;  ///< in the order of `Setting`
  bool scale_parameter;
};

void move(const Rule& rule, const Value& parameter, const Value& gradient, const States& states) {
  const Floats& settings = rule.settings;
  const DType computed = parameter->dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  Value wide = converted(parameter, computed);
  Value rate = rule.rate;
  if (rule.scale_parameter) rate = rate * maximum(root_mean_square(wide), settings[kScaleEpsilon]);
  Value update = normalized(converted(gradient, computed), states, rule.beta2, settings[kSquareEpsilon]);
  update = update / maximum(root_mean_square(update) / settings[kThreshold], 1.0) * rate;
  if (states.mean) {
    const Value held = converted(states.mean, computed);
    update = held * settings[kBeta1] + update * (1 - settings[kBeta1]);
    assign(states.mean, converted(update, states.mean->dtype));
  }
  if (rule.decay) wide = wide - wide * rule.decay * rate;
  wide = wide - update;
  assign(parameter, converted(wide, parameter->dtype));
}

ValueList step(const Call& call) {
  optim::require_lists(call, 2);
  optim::require_count(call, 9, "settings", kSettings);
  const ValueList& parameters = call.values(0);
  for (size_t list = 2; list < 6; ++list) {
    const size_t count = call.values(list).size();
    if (count == parameters.size() || (list == 2 && count == 0)) continue;
    value_error(call.op(), ": there are ", count, " states and ", parameters.size(),
                " parameters; need one for each");
  }
  const Rule rule{call.value(6), call.value(7), call.value(8), call.floats(9), call.flag(10)};
  for (size_t i = 0; i < parameters.size(); ++i) {
    move(rule, parameters[i], call.values(1)[i],
         {call.values(2).empty() ? Value() : call.values(2)[i], call.values(3)[i], call.values(4)[i],
          call.values(5)[i]});
  }
  return {};
}

/// The same on one parameter: (epsilon, clip_threshold, beta1, beta2, weight_decay, learning_rate, gradient,
/// param, exp_avg, exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq, …), from `flags` on whether the rate is
/// relative to the parameter, whether there is a first moment and whether weights decay.
Value step_one(const Call& call, const Value& gradient, size_t flags) {
  const Floats& epsilon = call.floats(0);
  if (epsilon.size() != 2)
    value_error(call.op(), ": epsilon has ", epsilon.size(),
                " numbers; need 2, for squares and for the scale");
  if (!may_agree(gradient->shape, call.in(7).shape)) {
    value_error(call.op(), ": gradient has shape ", gradient->shape, " and param has shape ",
                call.in(7).shape, "; they must be equal");
  }
  const Value rate = optim::as_value(call, 5);
  const Rule rule{optim::as_value(call, 3), rate, call.flag(flags + 2) ? optim::as_value(call, 4) : Value(),
                  Floats{epsilon[0], epsilon[1], call.real(1), call.real(2)}, call.flag(flags)};
  move(rule, call.value(7), gradient,
       {call.flag(flags + 1) ? call.value(8) : Value(), call.value(9), call.value(10), call.value(11)});
  return call.value(7);
}

}  // namespace

DYAD_OP(
    "adafactor_step(params: Tensors, gradients: Tensors, means: Tensors, rows: Tensors, columns: Tensors, "
    "squares: Tensors, beta2: Tensor, learning_rate: Tensor, decay: Tensor, settings: floats, "
    "scale_parameter: bool=True) -> None")
    .doc(
        "Adam in little memory: for matrices the mean squares are kept as means over rows and over columns. "
        "Settings: what is added to squares, the least scale of a parameter, the norm at which updates are "
        "clipped, beta1. With scale_parameter the rate is relative to each parameter's magnitude.")
    .hidden()
    .updates({0, 2, 3, 4, 5})
    .compose([](const Call& call) { return step(call); })
    .no_grad(optim::kNoGradient)
    .samples(
        "call([T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, 3), T(5)], [T(2, lo=1), T(1, lo=1)], "
        "[T(3, lo=1), T(1, lo=1)], [T(1, lo=1), T(5, lo=1)], F(lo=0.5, hi=0.9), F(lo=0.1, hi=0.5), "
        "F(lo=0, hi=0.1), [1e-30, 1e-3, 1.0, 0.9])")
    .rejects(
        "dyad._core.named_op('adafactor_step')([ones(2)], [ones(2)], [], [], [], [], ones(), ones(), ones(), "
        "[1e-30, 1e-3, 1.0, 0.9])",
        "ValueError", "there are 0 states and 1 parameters");

DYAD_OP(
    "apply_adafactor(epsilon: floats, clip_threshold: float, beta1: float, beta2: Operand, weight_decay: "
    "Operand, learning_rate: Operand, gradient: Tensor, param: Tensor, exp_avg: Tensor, exp_avg_sq_row: "
    "Tensor, exp_avg_sq_col: Tensor, exp_avg_sq: Tensor, enable_scale_parameter: bool=False, "
    "enable_first_moment: bool=False, enable_weight_decay: bool=False) -> Tensor")
    .doc(
        "One Adafactor step. RMS is the root mean square and g the gradient; without scaling η is the "
        "learning rate.")
    .formula("η = learning_rate · max(RMS(param), epsilon[1])", "enable_scale_parameter=True")
    .formula("row, col = means of g² + epsilon[0] over columns, rows, which decay by beta2")
    .formula("u = g / √(row ⊗ col / mean(row)) (of vectors: g / √exp_avg_sq)")
    .formula("u = η · u / max(1, RMS(u) / clip_threshold)")
    .formula("exp_avg = u = beta1 · exp_avg + (1 − beta1) · u", "enable_first_moment=True")
    .formula("param −= weight_decay · η · param", "enable_weight_decay=True")
    .formula("param −= u")
    .arg("epsilon", "two numbers: added to squares, smallest RMS of the parameter.")
    .arg("clip_threshold", "largest RMS of an update.")
    .arg("beta1", "decay rate of the first moment.")
    .arg("beta2", "decay rate of the second moment.")
    .arg("weight_decay", "weight decay.")
    .arg("learning_rate", "learning rate η.")
    .arg("gradient", "of the shape of `param`.")
    .arg("param", "the parameter, floats; changed.")
    .arg("exp_avg", "first moment, of the shape of `param`; changed if enabled.")
    .arg("exp_avg_sq_row", "means over the last axis, for matrices; changed.")
    .arg("exp_avg_sq_col", "means over the second to last axis, for matrices; changed.")
    .arg("exp_avg_sq", "second moment, for vectors; changed.")
    .arg("enable_scale_parameter", "whether the rate is relative to the RMS of the parameter.")
    .arg("enable_first_moment", "whether there is a first moment.")
    .arg("enable_weight_decay", "whether weights decay.")
    .returns("`param`.")
    .see("nn.AdaFactor")
    .reference("arXiv:1804.04235")
    .hidden()
    .primitive(
        "FusedAdaFactor(enable_scale_parameter=False, enable_first_moment=False, enable_weight_decay=False)("
        "epsilon, clip_threshold, beta1, beta2, weight_decay, learning_rate, gradient, param, exp_avg, "
        "exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq)")
    .writes(7)
    .updates({8, 9, 10, 11})
    .compose([](const Call& call) { return step_one(call, call.value(6), 12); })
    .no_grad(optim::kNoGradient)
    .samples(
        "call((1e-30, 1e-3), 1.0, 0.9, 0.8, 0.01, 0.03, T(2, 3), T(2, 3), T(2, 3), T(2, lo=1), T(3, lo=1), "
        "T(2, 3, lo=1))",
        "call((1e-30, 1e-3), 1.0, 0.9, 0.8, 0.01, 0.03, T(4), T(4), T(4), T(1), T(1), T(4, lo=1), True, "
        "True, "
        "True)")
    .rejects(
        "ops.FusedAdaFactor()((1e-30,), 1.0, 0.9, 0.8, 0.0, 0.1, ones(2), ones(2), ones(2), ones(1), "
        "ones(1), "
        "ones(2))",
        "ValueError", "epsilon has 1 numbers; need 2");

DYAD_OP(
    "apply_adafactor_with_norm(epsilon: floats, clip_threshold: float, beta1: float, beta2: Operand, "
    "weight_decay: Operand, learning_rate: Operand, gradient: Tensor, param: Tensor, exp_avg: Tensor, "
    "exp_avg_sq_row: Tensor, exp_avg_sq_col: Tensor, exp_avg_sq: Tensor, global_norm: Operand, "
    "enable_scale_parameter: bool=False, enable_first_moment: bool=False, enable_weight_decay: bool=False) "
    "-> "
    "Tensor")
    .doc(
        "One Adafactor step with a global norm. RMS is the root mean square and g = gradient / global_norm; "
        "without scaling η is the learning rate.")
    .formula("η = learning_rate · max(RMS(param), epsilon[1])", "enable_scale_parameter=True")
    .formula("row, col = means of g² + epsilon[0] over columns, rows, which decay by beta2")
    .formula("u = g / √(row ⊗ col / mean(row)) (of vectors: g / √exp_avg_sq)")
    .formula("u = η · u / max(1, RMS(u) / clip_threshold)")
    .formula("exp_avg = u = beta1 · exp_avg + (1 − beta1) · u", "enable_first_moment=True")
    .formula("param −= weight_decay · η · param", "enable_weight_decay=True")
    .formula("param −= u")
    .arg("epsilon", "two numbers: added to squares, smallest RMS of the parameter.")
    .arg("clip_threshold", "largest RMS of an update.")
    .arg("beta1", "decay rate of the first moment.")
    .arg("beta2", "decay rate of the second moment.")
    .arg("weight_decay", "weight decay.")
    .arg("learning_rate", "learning rate η.")
    .arg("gradient", "of the shape of `param`.")
    .arg("param", "the parameter, floats; changed.")
    .arg("exp_avg", "first moment, of the shape of `param`; changed if enabled.")
    .arg("exp_avg_sq_row", "means over the last axis, for matrices; changed.")
    .arg("exp_avg_sq_col", "means over the second to last axis, for matrices; changed.")
    .arg("exp_avg_sq", "second moment, for vectors; changed.")
    .arg("global_norm", "divides the gradient.")
    .arg("enable_scale_parameter", "whether the rate is relative to the RMS of the parameter.")
    .arg("enable_first_moment", "whether there is a first moment.")
    .arg("enable_weight_decay", "whether weights decay.")
    .returns("`param`.")
    .see("nn.AdaFactor")
    .reference("arXiv:1804.04235")
    .hidden()
    .primitive(
        "FusedAdaFactorWithGlobalNorm(enable_scale_parameter=False, enable_first_moment=False, "
        "enable_weight_decay=False)(epsilon, clip_threshold, beta1, beta2, weight_decay, learning_rate, "
        "gradient, param, exp_avg, exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq, global_norm)")
    .writes(7)
    .updates({8, 9, 10, 11})
    .compose([](const Call& call) { return step_one(call, call.value(6) / optim::as_value(call, 12), 13); })
    .no_grad(optim::kNoGradient)
    .samples(
        "call((1e-30, 1e-3), 1.0, 0.9, 0.8, 0.01, 0.03, T(2, 3), T(2, 3), T(2, 3), T(2, lo=1), T(3, lo=1), "
        "T(2, 3, lo=1), 10.0)")
    .rejects(
        "ops.FusedAdaFactorWithGlobalNorm()((1e-30, 1e-3), 1.0, 0.9, 0.8, 0.0, 0.1, ones(3), ones(2), "
        "ones(2), "
        "ones(1), ones(1), ones(2), 1.0)",
        "ValueError", "gradient has shape (3,) and param has shape (2,)");

}  // namespace dyad
