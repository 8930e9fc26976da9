#include "kernels/cpu/recurrent_table.h"

#include "kernels/scalar/math.h"

namespace dyad::kernels::DYAD_ISA {

template <class T>
static void rnn_tanh(const T* from_input, const T* from_state, int64_t count, T* hidden) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) hidden[i] = math::tanh(from_input[i] + from_state[i]);
}

template <class T>
static void rnn_relu(const T* from_input, const T* from_state, int64_t count, T* hidden) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    const T sum = from_input[i] + from_state[i];
    hidden[i] = sum < T(0) ? T(0) : sum;
  }
}

template <class T>
static void gru(const T* from_input, const T* from_state, int64_t count, T* hidden) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    const T reset = math::sigmoid(from_input[i] + from_state[i]);
    const T update = math::sigmoid(from_input[count + i] + from_state[count + i]);
    const T fresh = math::tanh(from_input[2 * count + i] + reset * from_state[2 * count + i]);
    hidden[i] = fresh + update * (hidden[i] - fresh);
  }
}

template <class T>
static void lstm(const T* from_input, const T* from_state, int64_t count, T* hidden, T* cell) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    const T accept = math::sigmoid(from_input[i] + from_state[i]);
    const T keep = math::sigmoid(from_input[count + i] + from_state[count + i]);
    const T fresh = math::tanh(from_input[2 * count + i] + from_state[2 * count + i]);
    const T show = math::sigmoid(from_input[3 * count + i] + from_state[3 * count + i]);
    cell[i] = keep * cell[i] + accept * fresh;
    hidden[i] = show * math::tanh(cell[i]);
  }
}

template <class T>
static constexpr RecurrentLoops<T> loops() {
  return {rnn_tanh<T>, rnn_relu<T>, gru<T>, lstm<T>};
}

extern constinit const RecurrentTable recurrent_table = {loops<float>(), loops<double>()};

}  // namespace dyad::kernels::DYAD_ISA
