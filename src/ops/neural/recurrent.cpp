// One recurrent layer in one direction over whole sequences. The kernels run all steps in one call, and so do
// those of the gradients; the bodies compute the same step by step.

#include <algorithm>

#include "base/error.h"
#include "ops/call.h"
#include "ops/cost.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(arange, cast, concat, dense, expand_dims, greater, gru_layer_grad, lstm_layer_grad, matmul, mul,
         relu, reshape, rnn_layer_grad, sigmoid, slice_view, split_evenly, stack, sum, swapaxes, tanh,
         unstack, where, zeros, zeros_like);

bool differ(Dim a, Dim b) { return a.known() && b.known() && !(a == b); }

/// Positions of the arguments of a layer: input, then the state's tensors, then weights, biases, lengths and
/// direction.
struct Layer {
  int64_t gates;
  size_t states;

  size_t weight_ih() const { return 1 + states; }
  size_t weight_hh() const { return 2 + states; }
  size_t bias_ih() const { return 3 + states; }
  size_t bias_hh() const { return 4 + states; }
  size_t lengths() const { return 5 + states; }
  size_t reverse() const { return 6 + states; }
};
constexpr Layer kRnn{1, 1};
constexpr Layer kGru{3, 1};
constexpr Layer kLstm{4, 2};

void require_shape(const Arguments& args, size_t at, std::string_view name, const Shape& wanted) {
  if (!args.has(at)) return;
  const Shape& shape = args.in(at).shape;
  bool fits = shape.size() == wanted.size();
  for (size_t i = 0; fits && i < wanted.size(); ++i) fits = !differ(shape[i], wanted[i]);
  if (!fits) value_error(args.op(), ": ", name, " has shape ", shape, "; it must be ", wanted);
}

/// (length, batch, size) gives outputs of shape (length, batch, hidden size) and the state after the last
/// step.
void infer_layer(const Arguments& args, Results& results, const Layer& layer) {
  const ValueImpl& input = args.in(0);
  infer::require_rank(args, 0, 3, "input");
  infer::require_rank(args, 1, 2, "hidden");
  const Dim batch = input.shape[1];
  const Dim width = args.in(1).shape[1];
  const Dim rows = Dim(layer.gates) * width;
  require_shape(args, 1, "hidden", {batch, width});
  if (layer.states == 2) require_shape(args, 2, "cell", {batch, width});
  require_shape(args, layer.weight_ih(), "weight_ih", {rows, input.shape[2]});
  require_shape(args, layer.weight_hh(), "weight_hh", {rows, width});
  require_shape(args, layer.bias_ih(), "bias_ih", {rows});
  require_shape(args, layer.bias_hh(), "bias_hh", {rows});
  require_shape(args, layer.lengths(), "lengths", {batch});
  if (args.has(layer.lengths()) && !is_int(args.in(layer.lengths()).dtype)) {
    type_error(args.op(), ": lengths has dtype ", args.in(layer.lengths()).dtype,
               "; it must have an integer dtype");
  }
  DType dtype = input.dtype;
  for (size_t i = 1; i < layer.lengths(); ++i) {
    if (args.has(i)) dtype = promote(args.op(), dtype, args.in(i).dtype);
  }
  infer::require_dtype(args, 0, is_float(dtype), "float16, bfloat16, float32 and float64");
  results.add(dtype, {input.shape[0], batch, width});
  for (size_t i = 0; i < layer.states; ++i) results.add(dtype, {batch, width});
}

using State = ValueList;

/// Runs `step(gates of the input, state) -> state` over the sequences; the first of the state is the output.
template <class Step>
ValueList unroll(const Call& call, const Layer& layer, const Step& step) {
  const Value projected = dense(call.value(0), call.value(layer.weight_ih()), call.value(layer.bias_ih()));
  State state;
  for (size_t i = 0; i < layer.states; ++i) state.push_back(cast(call.value(1 + i), projected->dtype));
  const auto length = static_cast<size_t>(call.in(0).shape[0].value());
  const ValueList gates = length ? unstack.all(projected, 0) : ValueList{};
  ValueList outputs(length);
  for (size_t i = 0; i < length; ++i) {
    const size_t at = call.flag(layer.reverse()) ? length - 1 - i : i;
    State next = step(gates[at], state);
    outputs[at] = next[0];
    if (call.has(layer.lengths())) {
      const Value running =
          expand_dims(greater(call.value(layer.lengths()), static_cast<int64_t>(at)), Dims{1});
      outputs[at] = where(running, next[0], 0);
      for (size_t k = 0; k < state.size(); ++k) next[k] = where(running, next[k], state[k]);
    }
    state = std::move(next);
  }
  const Dims none{0, call.in(0).shape[1], call.in(1).shape[1]};
  ValueList results{length ? stack(outputs, 0) : zeros(call.builder(), none, projected->dtype)};
  results.insert(results.end(), state.begin(), state.end());
  return results;
}

Value project_state(const Call& call, const Layer& layer, const State& state) {
  return dense(state[0], call.value(layer.weight_hh()), call.value(layer.bias_hh()));
}

/// The common part of the gradients of a layer: all gates are computed again from the outputs in two
/// products, and their gradients make those of the input, the weights and the biases.
class Gradients {
 public:
  Gradients(GradCall& call, const Layer& layer)
      : call_(call), layer_(layer), dtype_(call.out(0)->dtype), before_(states_before()) {}

  Value as_computed(size_t argument) const { return cast(call_.value(argument), dtype_); }
  /// The state before each step.
  const Value& before() const { return before_; }
  Value input_gates() const {
    return cast(dense(call_.value(0), call_.value(layer_.weight_ih()), call_.value(layer_.bias_ih())),
                dtype_);
  }
  Value state_gates() const {
    return cast(dense(before_, call_.value(layer_.weight_hh()), call_.value(layer_.bias_hh())), dtype_);
  }
  /// Of result `i`; zeros where it was not used.
  Value given(size_t i) const { return call_.grad(i) ? call_.grad(i) : zeros_like(call_.out(i)); }

  /// Sets the gradients of all arguments; the last of `states` are those of the first state.
  void set_all(const Value& of_input, const Value& of_state, const ValueList& states) const {
    const Shape& shape = call_.in(0).shape;
    const Dim rows = shape[0] * shape[1];
    const auto flat = [&](const Value& value) { return reshape(value, Dims{rows, value->shape[2]}); };
    set(0, [&] { return matmul(of_input, as_computed(layer_.weight_ih())); });
    set(layer_.weight_ih(), [&] { return matmul(swapaxes(flat(of_input), 0, 1), flat(as_computed(0))); });
    set(layer_.weight_hh(), [&] { return matmul(swapaxes(flat(of_state), 0, 1), flat(before_)); });
    set(layer_.bias_ih(), [&] { return sum(of_input, Dims{0, 1}); });
    set(layer_.bias_hh(), [&] { return sum(of_state, Dims{0, 1}); });
    for (size_t i = 0; i < layer_.states; ++i) {
      set(1 + i, [&] { return states[states.size() - layer_.states + i]; });
    }
  }

 private:
  template <class Make>
  void set(size_t argument, const Make& make) const {
    if (call_.has(argument) && call_.needs(argument))
      call_.set(argument, cast(make(), call_.in(argument).dtype));
  }

  Value states_before() const {
    const Value first = expand_dims(as_computed(1), Dims{0});
    const Value& output = call_.out(0);
    const Shape& shape = output->shape;
    const bool reverse = call_.flag(layer_.reverse());
    const ValueList parts = reverse ? ValueList{output, first} : ValueList{first, output};
    const Dim start = reverse ? Dim(1) : Dim(0);
    const Value before = slice_view(concat(parts, 0), Dims{start, 0, 0},
                                    Dims{start + shape[0], shape[1], shape[2]}, Dims{1, 1, 1});
    if (!reverse || !call_.has(layer_.lengths())) return before;
    // A sequence that ends early begins there, with the first state.
    const Value next = expand_dims(arange(call_.builder(), 1, 1 + shape[0].value()), Dims{1});
    const Value follows = greater(call_.value(layer_.lengths()), next);
    return where(expand_dims(follows, Dims{2}), before, first);
  }

  GradCall& call_;
  const Layer& layer_;
  DType dtype_;
  Value before_;
};

/// Products of every step with both weights, which begin at argument `Weights`.
template <size_t Weights>
double layer_flops(const Arguments& args, cost::Values) {
  const double rows = cost::elements(args.in(0)) / std::max(1.0, cost::axis_from_end(args.in(0)));
  return 2 * rows * (cost::elements(args.in(Weights)) + cost::elements(args.in(Weights + 1)));
}

}  // namespace

DYAD_OP(
    "rnn_layer(input: Tensor, hidden: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor?, "
    "bias_hh: Tensor?, lengths: Tensor?, reverse: bool, nonlinearity: str) -> (Tensor, Tensor)")
    .doc(
        "One layer of an Elman network over sequences of shape (length, batch, size): all outputs and the "
        "last state. "
        "Beyond a sequence's length the outputs are 0 and the state stays.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      infer_layer(args, results, kRnn);
      const std::string& name = args.text(8);
      if (name != "tanh" && name != "relu") {
        value_error(args.op(), ": nonlinearity is '", name, "'; it must be 'tanh' or 'relu'");
      }
    })
    .compose([](const Call& call) {
      return unroll(call, kRnn, [&](const Value& gates, const State& state) -> State {
        const Value sum = gates + project_state(call, kRnn, state);
        return {call.text(8) == "relu" ? relu(sum) : tanh(sum)};
      });
    })
    .grad([](GradCall& g) {
      const Gradients made(g, kRnn);
      const ValueList found =
          rnn_layer_grad.all(made.input_gates() + made.state_gates(), made.as_computed(kRnn.weight_hh()),
                             g[kRnn.lengths()], g[kRnn.reverse()], made.given(0), made.given(1), g[8]);
      made.set_all(found[0], found[0], found);
    })
    .cost(layer_flops<2>)
    .autocast(Autocast::kLow)
    .numpy(
        "ref.recurrent_layer('RNN' + nonlinearity, input, (hidden,), weight_ih, weight_hh, bias_ih, bias_hh, "
        "lengths, "
        "reverse)")
    .samples(
        "call(T(5, 2, 3), T(2, 4), T(4, 3), T(4, 4), T(4), T(4), None, False, 'tanh', "
        "dtypes='float32+float64')",
        "call(T(5, 2, 3), T(2, 4), T(4, 3, lo=-1, hi=1), T(4, 4, lo=-1, hi=1), None, None, None, True, "
        "'relu')",
        "call(T(4, 3, 3), T(3, 4), T(4, 3), T(4, 4), T(4), T(4), V([2, 4, 0], 'int32'), False, 'tanh')",
        "call(T(0, 2, 3), T(2, 4), T(4, 3), T(4, 4), T(4), T(4), None, False, 'tanh')")
    .rejects(
        "dyad._core.named_op('rnn_layer')(ones(5, 2, 3), ones(2, 4), ones(4, 3), ones(4, 4), None, None, "
        "None, "
        "False, 'sin')",
        "ValueError", "rnn_layer: nonlinearity is 'sin'");

DYAD_OP(
    "gru_layer(input: Tensor, hidden: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor?, "
    "bias_hh: Tensor?, lengths: Tensor?, reverse: bool) -> (Tensor, Tensor)")
    .doc(
        "One layer of gated recurrent units over sequences of shape (length, batch, size), gates in the "
        "order reset, "
        "update, new: all outputs and the last state. Beyond a sequence's length the outputs are 0 and the "
        "state stays.")
    .hidden()
    .infer([](const Arguments& args, Results& results) { infer_layer(args, results, kGru); })
    .compose([](const Call& call) {
      return unroll(call, kGru, [&](const Value& gates, const State& state) -> State {
        const ValueList from_input = split_evenly.all(gates, -1, 3);
        const ValueList from_state = split_evenly.all(project_state(call, kGru, state), -1, 3);
        const Value reset = sigmoid(from_input[0] + from_state[0]);
        const Value update = sigmoid(from_input[1] + from_state[1]);
        const Value fresh = tanh(from_input[2] + mul(reset, from_state[2]));
        return {fresh + mul(update, state[0] - fresh)};
      });
    })
    .grad([](GradCall& g) {
      const Gradients made(g, kGru);
      const ValueList found = gru_layer_grad.all(made.input_gates(), made.state_gates(), made.before(),
                                                 made.as_computed(kGru.weight_hh()), g[kGru.lengths()],
                                                 g[kGru.reverse()], made.given(0), made.given(1));
      made.set_all(found[0], found[1], found);
    })
    .cost(layer_flops<2>)
    .autocast(Autocast::kLow)
    .numpy(
        "ref.recurrent_layer('GRU', input, (hidden,), weight_ih, weight_hh, bias_ih, bias_hh, lengths, "
        "reverse)")
    .samples(
        "call(T(5, 2, 3), T(2, 4), T(12, 3), T(12, 4), T(12), T(12), None, False, dtypes='float32+float64')",
        "call(T(5, 2, 3), T(2, 4), T(12, 3), T(12, 4), None, T(12), None, True)",
        "call(T(4, 3, 3), T(3, 4), T(12, 3), T(12, 4), T(12), None, V([2, 4, 0], 'int64'), True)",
        "call(strided(T(3, 2, 5)), T(2, 35), T(105, 5), strided(T(105, 35, lo=-0.2, hi=0.2)), T(105), "
        "T(105), None, "
        "False)",
        "call(T(3, 6, 3), T(6, 4), T(12, 3), T(12, 4), T(12), T(12), None, False)",
        "call(T(0, 2, 3), T(2, 4), T(12, 3), T(12, 4), T(12), T(12), None, False)")
    .rejects(
        "dyad._core.named_op('gru_layer')(ones(5, 2, 3), ones(2, 4), ones(8, 3), ones(12, 4), None, None, "
        "None, "
        "False)",
        "ValueError", "gru_layer: weight_ih has shape (8, 3); it must be (12, 3)");

DYAD_OP(
    "lstm_layer(input: Tensor, hidden: Tensor, cell: Tensor, weight_ih: Tensor, weight_hh: Tensor, "
    "bias_ih: Tensor?, bias_hh: Tensor?, lengths: Tensor?, reverse: bool) -> (Tensor, Tensor, Tensor)")
    .doc(
        "One layer of long short-term memory over sequences of shape (length, batch, size), gates in the "
        "order input, "
        "forget, cell, output: all outputs and the last hidden and cell state. Beyond a sequence's length "
        "the outputs "
        "are 0 and the state stays.")
    .hidden()
    .infer([](const Arguments& args, Results& results) { infer_layer(args, results, kLstm); })
    .compose([](const Call& call) {
      return unroll(call, kLstm, [&](const Value& gates, const State& state) -> State {
        const ValueList part = split_evenly.all(gates + project_state(call, kLstm, state), -1, 4);
        const Value kept = mul(sigmoid(part[1]), state[1]);
        const Value cell = kept + mul(sigmoid(part[0]), tanh(part[2]));
        return {mul(sigmoid(part[3]), tanh(cell)), cell};
      });
    })
    .grad([](GradCall& g) {
      const Gradients made(g, kLstm);
      const ValueList found = lstm_layer_grad.all(
          made.input_gates() + made.state_gates(), made.as_computed(2), made.as_computed(kLstm.weight_hh()),
          g[kLstm.lengths()], g[kLstm.reverse()], made.given(0), made.given(1), made.given(2));
      made.set_all(found[0], found[0], found);
    })
    .cost(layer_flops<3>)
    .autocast(Autocast::kLow)
    .numpy(
        "ref.recurrent_layer('LSTM', input, (hidden, cell), weight_ih, weight_hh, bias_ih, bias_hh, lengths, "
        "reverse)")
    .samples(
        "call(T(5, 2, 3), T(2, 4), T(2, 4), T(16, 3), T(16, 4), T(16), T(16), None, False, "
        "dtypes='float32+float64')",
        "call(T(5, 2, 3), T(2, 4), T(2, 4), T(16, 3), T(16, 4), None, None, None, True)",
        "call(T(4, 3, 3), T(3, 4), T(3, 4), T(16, 3), T(16, 4), T(16), None, V([2, 4, 0], 'int32'), True)",
        "call(strided(T(3, 2, 5)), T(2, 35), strided(T(2, 35)), T(140, 5), T(140, 35, lo=-0.2, hi=0.2), "
        "T(140), T(140), "
        "V([3, 1], 'int64'), False)",
        "call(T(3, 5, 3), T(5, 256), T(5, 256), T(1024, 3), T(1024, 256, lo=-0.1, hi=0.1), T(1024), T(1024), "
        "None, "
        "True)",
        "call(T(2, 2, 3), T(2, 4), T(2, 4), T(16, 3), T(16, 4), T(16), T(16), None, False, "
        "dtypes='float16+bfloat16')",
        "call(T(0, 2, 3), T(2, 4), T(2, 4), T(16, 3), T(16, 4), T(16), T(16), None, False)",
        "call(T(2, 0, 3), T(0, 4), T(0, 4), T(16, 3), T(16, 4), T(16), T(16), None, False)")
    .rejects(
        "dyad._core.named_op('lstm_layer')(ones(5, 2, 3), ones(2, 4), ones(2, 5), ones(16, 3), ones(16, 4), "
        "None, "
        "None, None, False)",
        "ValueError", "lstm_layer: cell has shape (2, 5); it must be (2, 4)")
    .rejects(
        "dyad._core.named_op('lstm_layer')(ones(5, 2, 3), ones(2, 4), ones(2, 4), ones(16, 3), ones(16, 4), "
        "None, "
        "None, ones(2), False)",
        "TypeError", "lengths has dtype Float32");

}  // namespace dyad
