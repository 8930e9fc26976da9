#include "kernels/cpu/recurrent_table.h"

#include "kernels/scalar/math.h"

namespace dyad::kernels::DYAD_ISA {

/// Both shares of one gate, for a loop over its elements.
template <class T>
struct Gate {
  const T* input;
  const T* state;
  const T* bias;

  Gate(const GateShares<T>& shares, int64_t gate)
      : input(shares.input + gate * shares.input_step),
        state(shares.state + gate * shares.state_step),
        bias(shares.bias + gate * shares.input_step) {}
  T from_state(int64_t i) const { return state[i] + bias[i]; }
  T sum(int64_t i) const { return input[i] + from_state(i); }
};

template <class T>
static void rnn_tanh(const GateShares<T>& gates, int64_t count, T* hidden) {
  const Gate<T> only(gates, 0);
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) hidden[i] = math::tanh(only.sum(i));
}

template <class T>
static void rnn_relu(const GateShares<T>& gates, int64_t count, T* hidden) {
  const Gate<T> only(gates, 0);
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    const T sum = only.sum(i);
    hidden[i] = sum < T(0) ? T(0) : sum;
  }
}

template <class T>
static void gru(const GateShares<T>& gates, int64_t count, T* hidden) {
  const Gate<T> reset(gates, 0);
  const Gate<T> update(gates, 1);
  const Gate<T> candidate(gates, 2);
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    const T fresh = math::tanh(candidate.input[i] + math::sigmoid(reset.sum(i)) * candidate.from_state(i));
    hidden[i] = fresh + math::sigmoid(update.sum(i)) * (hidden[i] - fresh);
  }
}

template <class T>
static void lstm(const GateShares<T>& gates, int64_t count, T* hidden, T* cell) {
  const Gate<T> accept(gates, 0);
  const Gate<T> keep(gates, 1);
  const Gate<T> candidate(gates, 2);
  const Gate<T> show(gates, 3);
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    const T fresh = math::sigmoid(accept.sum(i)) * math::tanh(candidate.sum(i));
    cell[i] = math::sigmoid(keep.sum(i)) * cell[i] + fresh;
    hidden[i] = math::sigmoid(show.sum(i)) * math::tanh(cell[i]);
  }
}

/// The gradient of what goes into a function that gave `y`.
template <class T>
static T through_sigmoid(T gradient, T y) {
  return gradient * y * (T(1) - y);
}
template <class T>
static T through_tanh(T gradient, T y) {
  return gradient * (T(1) - y * y);
}

template <class T>
static void rnn_tanh_gradient(const T* gates, int64_t count, const T* output, T* hidden, T* gate_gradient) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    gate_gradient[i] = through_tanh(hidden[i] + output[i], math::tanh(gates[i]));
    hidden[i] = T(0);
  }
}

template <class T>
static void rnn_relu_gradient(const T* gates, int64_t count, const T* output, T* hidden, T* gate_gradient) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    gate_gradient[i] = gates[i] > T(0) ? hidden[i] + output[i] : T(0);
    hidden[i] = T(0);
  }
}

template <class T>
static void gru_gradient(const T* input, const T* state, const T* before, int64_t count, const T* output,
                         T* hidden, T* input_gradient, T* state_gradient) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    const T gradient = hidden[i] + output[i];
    const T reset = math::sigmoid(input[i] + state[i]);
    const T update = math::sigmoid(input[count + i] + state[count + i]);
    const T from_state = state[2 * count + i];
    const T fresh = math::tanh(input[2 * count + i] + reset * from_state);
    const T of_fresh = through_tanh(gradient * (T(1) - update), fresh);
    const T of_reset = through_sigmoid(of_fresh * from_state, reset);
    const T of_update = through_sigmoid(gradient * (before[i] - fresh), update);
    input_gradient[i] = state_gradient[i] = of_reset;
    input_gradient[count + i] = state_gradient[count + i] = of_update;
    input_gradient[2 * count + i] = of_fresh;
    state_gradient[2 * count + i] = of_fresh * reset;
    hidden[i] = gradient * update;
  }
}

template <class T>
static void lstm_cell(const T* gates, const T* before, int64_t count, T* after) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    const T fresh = math::sigmoid(gates[i]) * math::tanh(gates[2 * count + i]);
    after[i] = math::sigmoid(gates[count + i]) * before[i] + fresh;
  }
}

template <class T>
static void lstm_gradient(const T* gates, const T* before, int64_t count, const T* output, T* hidden, T* cell,
                          T* gate_gradient) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    const T gradient = hidden[i] + output[i];
    const T accept = math::sigmoid(gates[i]);
    const T keep = math::sigmoid(gates[count + i]);
    const T candidate = math::tanh(gates[2 * count + i]);
    const T show = math::sigmoid(gates[3 * count + i]);
    const T shown = math::tanh(keep * before[i] + accept * candidate);
    const T of_cell = cell[i] + through_tanh(gradient * show, shown);
    gate_gradient[i] = through_sigmoid(of_cell * candidate, accept);
    gate_gradient[count + i] = through_sigmoid(of_cell * before[i], keep);
    gate_gradient[2 * count + i] = through_tanh(of_cell * accept, candidate);
    gate_gradient[3 * count + i] = through_sigmoid(gradient * shown, show);
    cell[i] = of_cell * keep;
    hidden[i] = T(0);
  }
}

template <class T>
static constexpr RecurrentLoops<T> loops() {
  return {rnn_tanh<T>, rnn_relu<T>, gru<T>, lstm<T>};
}
template <class T>
static constexpr RecurrentGradientLoops<T> gradient_loops() {
  return {rnn_tanh_gradient<T>, rnn_relu_gradient<T>, gru_gradient<T>, lstm_cell<T>, lstm_gradient<T>};
}

extern constinit const RecurrentTable recurrent_table = {loops<float>(), loops<double>(),
                                                         gradient_loops<float>(), gradient_loops<double>()};

}  // namespace dyad::kernels::DYAD_ISA
