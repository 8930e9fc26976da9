#include "base/error.h"
#include "ops/call.h"
#include "ops/optim/step.h"

namespace dyad {

namespace {

DYAD_USE(assign)
DYAD_USE(cast)
DYAD_USE(expand_dims)
DYAD_USE(maximum)
DYAD_USE(mean)
DYAD_USE(rsqrt)
DYAD_USE(sqrt)
DYAD_USE(square)

enum Setting { kSquareEpsilon, kScaleEpsilon, kThreshold, kBeta1, kSettings };

Value root_mean_square(const Value& value) { return sqrt(mean(square(value))); }

Value converted(const Value& value, DType dtype) {
  return value->dtype == dtype ? value : cast(value, dtype);
}

/// Moves a running mean towards `value` and gives it.
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

void move(const Call& call, const Value& parameter, const Value& gradient, const States& states) {
  const Floats& settings = call.floats(9);
  const DType computed = parameter->dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  Value wide = converted(parameter, computed);
  Value rate = call.value(7);
  if (call.flag(10)) rate = rate * maximum(root_mean_square(wide), settings[kScaleEpsilon]);
  Value update = normalized(converted(gradient, computed), states, call.value(6), settings[kSquareEpsilon]);
  update = update / maximum(root_mean_square(update) / settings[kThreshold], 1.0) * rate;
  if (states.mean) {
    const Value held = converted(states.mean, computed);
    update = held * settings[kBeta1] + update * (1 - settings[kBeta1]);
    assign(states.mean, converted(update, states.mean->dtype));
  }
  wide = wide - wide * call.value(8) * rate - update;
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
  for (size_t i = 0; i < parameters.size(); ++i) {
    move(call, parameters[i], call.values(1)[i],
         {call.values(2).empty() ? Value() : call.values(2)[i], call.values(3)[i], call.values(4)[i],
          call.values(5)[i]});
  }
  return {};
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

}  // namespace dyad
