// Gradients of recurrent layers over whole sequences: of the gates of every step, and of the state before the
// first one. The kernels run all steps in one call; the bodies compute the same step by step.

#include "base/error.h"
#include "ops/call.h"
#include "ops/cost.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(concat, expand_dims, greater, matmul, mul, sigmoid, split_evenly, stack, tanh, unstack, where,
         zeros_like);

/// Positions of the arguments that all gradients have: the gates come first, the weight of the state,
/// lengths, direction and gradients of output and state one after the other.
struct Layer {
  size_t gates;  ///< tensors of gates
  size_t weight;
  int64_t rows;  ///< sizes of the state that the gates are wide

  size_t lengths() const { return weight + 1; }
  size_t reverse() const { return weight + 2; }
  size_t output_gradient() const { return weight + 3; }
  size_t hidden_gradient() const { return weight + 4; }
};
constexpr Layer kRnn{1, 1, 1};
constexpr Layer kGru{2, 3, 3};
constexpr Layer kLstm{1, 2, 4};

void require(const Arguments& args, size_t at, std::string_view name, const Shape& wanted) {
  if (!args.has(at)) return;
  const Shape& shape = args.in(at).shape;
  bool fits = shape.size() == wanted.size();
  for (size_t i = 0; fits && i < wanted.size(); ++i) {
    fits = !shape[i].known() || !wanted[i].known() || shape[i] == wanted[i];
  }
  if (!fits) value_error(args.op(), ": ", name, " has shape ", shape, "; it must be ", wanted);
}

/// The gradients of the gates, then those of the state's tensors.
void infer_gradients(const Arguments& args, Results& results, const Layer& layer, size_t states) {
  infer::require_rank(args, 0, 3, "gates");
  infer::require_rank(args, layer.weight, 2, "weight_hh");
  const ValueImpl& gates = args.in(0);
  const Dim width = args.in(layer.weight).shape[1];
  const Dim rows = Dim(layer.rows) * width;
  const Shape state{gates.shape[1], width};
  require(args, 0, "gates", {gates.shape[0], gates.shape[1], rows});
  require(args, layer.weight, "weight_hh", {rows, width});
  require(args, layer.lengths(), "lengths", {gates.shape[1]});
  if (args.has(layer.lengths()) && !is_int(args.in(layer.lengths()).dtype)) {
    type_error(args.op(), ": lengths has dtype ", args.in(layer.lengths()).dtype,
               "; it must have an integer dtype");
  }
  require(args, layer.output_gradient(), "output_gradient", {gates.shape[0], gates.shape[1], width});
  require(args, layer.hidden_gradient(), "hidden_gradient", state);
  infer::require_dtype(args, 0, is_float(gates.dtype), "float16, bfloat16, float32 and float64");
  for (size_t i = 0; i < layer.gates; ++i) results.add(gates.dtype, gates.shape);
  for (size_t i = 0; i < states; ++i) results.add(gates.dtype, state);
}

/// Walks from the last step to the first.
class Backward {
 public:
  Backward(const Call& call, const Layer& layer)
      : call_(call), layer_(layer), steps_(static_cast<size_t>(call.in(0).shape[0].value())) {
    if (steps_) outputs_ = unstack.all(call.value(layer.output_gradient()), 0);
  }

  size_t steps() const { return steps_; }
  /// The position in the sequence of the `i`-th step.
  size_t place(size_t i) const { return call_.flag(layer_.reverse()) ? steps_ - 1 - i : i; }
  ValueList at_each_step(size_t argument) const {
    return steps_ ? unstack.all(call_.value(argument), 0) : ValueList{};
  }
  /// `now` for sequences that are active at this position, else `otherwise`.
  Value if_running(size_t at, const Value& now, const Arg& otherwise) const {
    if (!call_.has(layer_.lengths())) return now;
    const Value longer = greater(call_.value(layer_.lengths()), static_cast<int64_t>(at));
    return where(expand_dims(longer, Dims{1}), now, otherwise);
  }

  /// `step(place, gradient of the state)` gives the gradients of the gates, and what of the state's gradient
  /// goes past them, where there is any; the last of the gates are those of the state. Returns the gradients
  /// of all gates and of the first state.
  template <class Step>
  ValueList run(const Step& step) const {
    const Value& weight = call_.value(layer_.weight);
    Value hidden = call_.value(layer_.hidden_gradient());
    std::vector<ValueList> found(layer_.gates, ValueList(steps_));
    for (size_t i = steps_; i-- > 0;) {
      const size_t at = place(i);
      const ValueList made = step(at, hidden + outputs_[at]);
      for (size_t k = 0; k < layer_.gates; ++k) found[k][at] = if_running(at, made[k], 0);
      Value before = matmul(made[layer_.gates - 1], weight);
      if (made.size() > layer_.gates) before = before + made[layer_.gates];
      hidden = if_running(at, before, hidden);
    }
    ValueList results;
    for (const ValueList& each : found)
      results.push_back(steps_ ? stack(each, 0) : zeros_like(call_.value(0)));
    results.push_back(hidden);
    return results;
  }

 private:
  const Call& call_;
  const Layer& layer_;
  size_t steps_;
  ValueList outputs_;
};

/// The gradient of what goes into a sigmoid or tanh that gave `y`.
Value through_sigmoid(const Value& gradient, const Value& y) { return mul(gradient, mul(y, 1.0 - y)); }
Value through_tanh(const Value& gradient, const Value& y) { return mul(gradient, 1.0 - mul(y, y)); }

ValueList rnn_body(const Call& call) {
  const Backward walk(call, kRnn);
  const ValueList gates = walk.at_each_step(0);
  const bool rectified = call.text(6) == "relu";
  return walk.run([&](size_t at, const Value& gradient) -> ValueList {
    if (rectified) return {where(greater(gates[at], 0), gradient, 0)};
    return {through_tanh(gradient, tanh(gates[at]))};
  });
}

ValueList gru_body(const Call& call) {
  const Backward walk(call, kGru);
  const ValueList inputs = walk.at_each_step(0);
  const ValueList states = walk.at_each_step(1);
  const ValueList before = walk.at_each_step(2);
  return walk.run([&](size_t at, const Value& gradient) -> ValueList {
    const ValueList from_input = split_evenly.all(inputs[at], -1, 3);
    const ValueList from_state = split_evenly.all(states[at], -1, 3);
    const Value reset = sigmoid(from_input[0] + from_state[0]);
    const Value update = sigmoid(from_input[1] + from_state[1]);
    const Value fresh = tanh(from_input[2] + mul(reset, from_state[2]));
    const Value of_fresh = through_tanh(mul(gradient, 1.0 - update), fresh);
    const Value of_reset = through_sigmoid(mul(of_fresh, from_state[2]), reset);
    const Value of_update = through_sigmoid(mul(gradient, before[at] - fresh), update);
    return {concat(ValueList{of_reset, of_update, of_fresh}, -1),
            concat(ValueList{of_reset, of_update, mul(of_fresh, reset)}, -1), mul(gradient, update)};
  });
}

ValueList lstm_body(const Call& call) {
  const Backward walk(call, kLstm);
  const ValueList gates = walk.at_each_step(0);
  std::vector<ValueList> active(walk.steps());  // the gates' values at each place
  ValueList before(walk.steps());
  ValueList after(walk.steps());
  Value cell = call.value(1);
  for (size_t i = 0; i < walk.steps(); ++i) {
    const size_t at = walk.place(i);
    const ValueList part = split_evenly.all(gates[at], -1, 4);
    active[at] = {sigmoid(part[0]), sigmoid(part[1]), tanh(part[2]), sigmoid(part[3])};
    before[at] = cell;
    after[at] = mul(active[at][1], cell) + mul(active[at][0], active[at][2]);
    cell = walk.if_running(at, after[at], cell);
  }
  Value cell_gradient = call.value(7);
  ValueList results = walk.run([&](size_t at, const Value& gradient) -> ValueList {
    const ValueList& gate = active[at];
    const Value shown = tanh(after[at]);
    const Value of_cell = cell_gradient + through_tanh(mul(gradient, gate[3]), shown);
    cell_gradient = walk.if_running(at, mul(of_cell, gate[1]), cell_gradient);
    return {concat(ValueList{through_sigmoid(mul(of_cell, gate[2]), gate[0]),
                             through_sigmoid(mul(of_cell, before[at]), gate[1]),
                             through_tanh(mul(of_cell, gate[0]), gate[2]),
                             through_sigmoid(mul(gradient, shown), gate[3])},
                   -1)};
  });
  results.push_back(cell_gradient);
  return results;
}

/// The product of every step's gates with the weights of the state, which the last of the results has.
double step_flops(const Arguments& args, cost::Values results) {
  return 2 * cost::elements(args.in(0)) * cost::axis_from_end(*results[1]);
}

}  // namespace

DYAD_OP(
    "rnn_layer_grad(gates: Tensor, weight_hh: Tensor, lengths: Tensor?, reverse: bool, output_gradient: "
    "Tensor, hidden_gradient: Tensor, nonlinearity: str) -> (Tensor, Tensor)")
    .doc(
        "Gradients of the gates of an Elman network, of shape (length, batch, size), and of its first state.")
    .hidden()
    .infer([](const Arguments& args, Results& results) { infer_gradients(args, results, kRnn, 1); })
    .compose([](const Call& call) { return rnn_body(call); })
    .cost(step_flops)
    .numpy(
        "ref.recurrent_layer_grad('RNN' + nonlinearity, gates, None, None, None, weight_hh, lengths, "
        "reverse, "
        "output_gradient, hidden_gradient, None)")
    .samples("call(T(5, 2, 4), T(4, 4), None, False, T(5, 2, 4), T(2, 4), 'tanh', dtypes='float32+float64')",
             "call(T(5, 2, 4), T(4, 4), None, True, T(5, 2, 4), T(2, 4), 'relu')",
             "call(T(4, 3, 4), T(4, 4), V([2, 4, 0], 'int32'), False, T(4, 3, 4), T(3, 4), 'tanh')",
             "call(T(4, 3, 4), T(4, 4), V([2, 4, 0], 'int64'), True, T(4, 3, 4), T(3, 4), 'tanh')",
             "call(T(0, 2, 4), T(4, 4), None, False, T(0, 2, 4), T(2, 4), 'tanh')")
    .rejects(
        "dyad._core.named_op('rnn_layer_grad')(ones(5, 2, 4), ones(4, 4), None, False, ones(5, 2, 3), "
        "ones(2, 4), 'tanh')",
        "ValueError", "rnn_layer_grad: output_gradient has shape (5, 2, 3); it must be (5, 2, 4)");

DYAD_OP(
    "gru_layer_grad(input_gates: Tensor, state_gates: Tensor, before: Tensor, weight_hh: Tensor, lengths: "
    "Tensor?, reverse: bool, output_gradient: Tensor, hidden_gradient: Tensor) -> (Tensor, Tensor, Tensor)")
    .doc(
        "Gradients of both shares of the gates of gated recurrent units, of shape (length, batch, size), and "
        "of the first state; `before` is the state before each step.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      infer_gradients(args, results, kGru, 1);
      const Shape& gates = args.in(0).shape;
      require(args, 1, "state_gates", gates);
      require(args, 2, "before", {gates[0], gates[1], args.in(3).shape[1]});
    })
    .compose([](const Call& call) { return gru_body(call); })
    .cost(step_flops)
    .numpy(
        "ref.recurrent_layer_grad('GRU', input_gates, state_gates, before, None, weight_hh, lengths, "
        "reverse, "
        "output_gradient, hidden_gradient, None)")
    .samples(
        "call(T(5, 2, 12), T(5, 2, 12), T(5, 2, 4), T(12, 4), None, False, T(5, 2, 4), T(2, 4), "
        "dtypes='float32+float64')",
        "call(T(4, 3, 12), T(4, 3, 12), T(4, 3, 4), T(12, 4), V([2, 4, 0], 'int64'), True, T(4, 3, 4), "
        "T(3, 4))",
        "call(T(3, 6, 105), T(3, 6, 105), strided(T(3, 6, 35)), strided(T(105, 35, lo=-0.2, hi=0.2)), None, "
        "False, T(3, 6, 35), T(6, 35))",
        "call(T(0, 2, 12), T(0, 2, 12), T(0, 2, 4), T(12, 4), None, False, T(0, 2, 4), T(2, 4))")
    .rejects(
        "dyad._core.named_op('gru_layer_grad')(ones(5, 2, 12), ones(5, 2, 9), ones(5, 2, 4), ones(12, 4), "
        "None, False, ones(5, 2, 4), ones(2, 4))",
        "ValueError", "gru_layer_grad: state_gates has shape (5, 2, 9); it must be (5, 2, 12)");

DYAD_OP(
    "lstm_layer_grad(gates: Tensor, cell: Tensor, weight_hh: Tensor, lengths: Tensor?, reverse: bool, "
    "output_gradient: Tensor, hidden_gradient: Tensor, cell_gradient: Tensor) -> (Tensor, Tensor, Tensor)")
    .doc(
        "Gradients of the gates of long short-term memory, of shape (length, batch, size), and of its first "
        "hidden and cell state.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      infer_gradients(args, results, kLstm, 2);
      const Shape state{args.in(0).shape[1], args.in(2).shape[1]};
      require(args, 1, "cell", state);
      require(args, 7, "cell_gradient", state);
    })
    .compose([](const Call& call) { return lstm_body(call); })
    .cost(step_flops)
    .numpy(
        "ref.recurrent_layer_grad('LSTM', gates, None, None, cell, weight_hh, lengths, reverse, "
        "output_gradient, hidden_gradient, cell_gradient)")
    .samples(
        "call(T(5, 2, 16), T(2, 4), T(16, 4), None, False, T(5, 2, 4), T(2, 4), T(2, 4), "
        "dtypes='float32+float64')",
        "call(T(5, 2, 16), T(2, 4), T(16, 4), None, True, T(5, 2, 4), T(2, 4), T(2, 4))",
        "call(T(4, 3, 16), T(3, 4), T(16, 4), V([2, 4, 0], 'int32'), True, T(4, 3, 4), T(3, 4), T(3, 4))",
        "call(T(4, 3, 16), T(3, 4), T(16, 4), V([2, 4, 0], 'int64'), False, T(4, 3, 4), T(3, 4), T(3, 4))",
        "call(T(3, 5, 1024), T(5, 256), strided(T(1024, 256, lo=-0.1, hi=0.1)), None, False, T(3, 5, 256), "
        "T(5, 256), T(5, 256))",
        "call(T(2, 2, 16), T(2, 4), T(16, 4), None, False, T(2, 2, 4), T(2, 4), T(2, 4), "
        "dtypes='float16+bfloat16')",
        "call(T(0, 2, 16), T(2, 4), T(16, 4), None, False, T(0, 2, 4), T(2, 4), T(2, 4))")
    .rejects(
        "dyad._core.named_op('lstm_layer_grad')(ones(5, 2, 16), ones(2, 3), ones(16, 4), None, False, "
        "ones(5, 2, 4), ones(2, 4), ones(2, 4))",
        "ValueError", "lstm_layer_grad: cell has shape (2, 3); it must be (2, 4)");

}  // namespace dyad
