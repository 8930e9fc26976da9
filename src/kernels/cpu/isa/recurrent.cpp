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

template <class T>
static constexpr RecurrentLoops<T> loops() {
  return {rnn_tanh<T>, rnn_relu<T>, gru<T>, lstm<T>};
}

extern constinit const RecurrentTable recurrent_table = {loops<float>(), loops<double>()};

}  // namespace dyad::kernels::DYAD_ISA
