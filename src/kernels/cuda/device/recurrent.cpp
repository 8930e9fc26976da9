// The gates of recurrent layers and their gradients, one element of the state per thread.

#define DYAD_ISA cuda

#include "kernels/cuda/params/recurrent.h"

#include "kernels/cuda/device/intrinsics.h"
#include "kernels/cuda/device/math.h"
#include "kernels/scalar/math/hyperbolic.h"

namespace dyad::cuda::device {

namespace math = ::dyad::kernels::cuda::math;

/// The shares of the gates of one element; gate after gate they lie `width` apart.
template <class T>
struct Shares {
  const T* input;
  const T* state;
  const T* bias;
  int64_t width;

  DYAD_DEVICE_INLINE Shares(const RecurrentParams& p, int64_t sequence, int64_t element, int gates)
      : input(static_cast<const T*>(p.input) + sequence * gates * p.width + element),
        state(static_cast<const T*>(p.state) + sequence * gates * p.width + element),
        bias(p.bias ? static_cast<const T*>(p.bias) + element : nullptr),
        width(p.width) {}
  DYAD_DEVICE_INLINE T from_input(int gate) const { return input[gate * width]; }
  DYAD_DEVICE_INLINE T from_state(int gate) const {
    return state[gate * width] + (bias ? bias[gate * width] : T(0));
  }
  DYAD_DEVICE_INLINE T sum(int gate) const { return from_input(gate) + from_state(gate); }
};

DYAD_DEVICE_INLINE bool is_running(const int64_t* lengths, int64_t sequence, int64_t step) {
  return !lengths || step < lengths[sequence];
}

/// `advance(shares, hidden, cell)` gives the new state of one element.
template <class T, class Advance>
DYAD_DEVICE_INLINE void advance_all(const RecurrentParams& p, int gates, Advance advance) {
  T* hidden = static_cast<T*>(p.hidden);
  T* cell = static_cast<T*>(p.cell);
  T* output = static_cast<T*>(p.output);
  DYAD_FOR_EACH(i, p.batch * p.width) {
    const int64_t sequence = i / p.width;
    if (!is_running(p.lengths, sequence, p.step)) {
      output[i] = T(0);
      continue;
    }
    const Shares<T> shares(p, sequence, i % p.width, gates);
    output[i] = hidden[i] = advance(shares, hidden[i], cell ? &cell[i] : nullptr);
  }
}

struct TanhStep {
  template <class T>
  DYAD_DEVICE_INLINE T operator()(const Shares<T>& gates, T, T*) const {
    return math::tanh(gates.sum(0));
  }
};
struct ReluStep {
  template <class T>
  DYAD_DEVICE_INLINE T operator()(const Shares<T>& gates, T, T*) const {
    const T sum = gates.sum(0);
    return sum < T(0) ? T(0) : sum;
  }
};
/// Gates in the order reset, update, new.
struct GruStep {
  template <class T>
  DYAD_DEVICE_INLINE T operator()(const Shares<T>& gates, T hidden, T*) const {
    const T fresh = math::tanh(gates.from_input(2) + math::sigmoid(gates.sum(0)) * gates.from_state(2));
    return fresh + math::sigmoid(gates.sum(1)) * (hidden - fresh);
  }
};
/// Gates in the order input, forget, cell, output.
struct LstmStep {
  template <class T>
  DYAD_DEVICE_INLINE T operator()(const Shares<T>& gates, T, T* cell) const {
    const T fresh = math::sigmoid(gates.sum(0)) * math::tanh(gates.sum(2));
    *cell = math::sigmoid(gates.sum(1)) * *cell + fresh;
    return math::sigmoid(gates.sum(3)) * math::tanh(*cell);
  }
};

/// The gradient of what goes into a function that gave `y`.
template <class T>
DYAD_DEVICE_INLINE T through_sigmoid(T gradient, T y) {
  return gradient * y * (T(1) - y);
}
template <class T>
DYAD_DEVICE_INLINE T through_tanh(T gradient, T y) {
  return gradient * (T(1) - y * y);
}

/// One element of one sequence, a step back. `at` is the place of its first gate.
template <class T>
struct Backward {
  const RecurrentGradientParams& p;
  int64_t i;
  int64_t at;

  DYAD_DEVICE_INLINE T gate(int number) const {
    return static_cast<const T*>(p.gates)[at + number * p.width];
  }
  DYAD_DEVICE_INLINE T state_gate(int number) const {
    return static_cast<const T*>(p.state_gates)[at + number * p.width];
  }
  DYAD_DEVICE_INLINE T before() const { return static_cast<const T*>(p.before)[i]; }
  DYAD_DEVICE_INLINE T& hidden() const { return static_cast<T*>(p.hidden)[i]; }
  DYAD_DEVICE_INLINE T& cell() const { return static_cast<T*>(p.cell)[i]; }
  DYAD_DEVICE_INLINE T gradient() const { return hidden() + static_cast<const T*>(p.output)[i]; }
  DYAD_DEVICE_INLINE void set(int number, T value) const {
    static_cast<T*>(p.gate_gradient)[at + number * p.width] = value;
  }
  DYAD_DEVICE_INLINE void set_state(int number, T value) const {
    static_cast<T*>(p.state_gradient)[at + number * p.width] = value;
  }
};

template <class T, class Step>
DYAD_DEVICE_INLINE void go_back(const RecurrentGradientParams& p, int gates, Step step) {
  DYAD_FOR_EACH(i, p.batch * p.width) {
    const int64_t sequence = i / p.width;
    const Backward<T> place{p, i, sequence * gates * p.width + i % p.width};
    if (is_running(p.lengths, sequence, p.step)) {
      step(place);
      continue;
    }
    for (int gate = 0; gate < gates; ++gate) {
      place.set(gate, T(0));
      if (p.state_gradient) place.set_state(gate, T(0));
    }
  }
}

struct TanhBack {
  template <class T>
  DYAD_DEVICE_INLINE void operator()(const Backward<T>& b) const {
    b.set(0, through_tanh(b.gradient(), math::tanh(b.gate(0))));
    b.hidden() = T(0);
  }
};
struct ReluBack {
  template <class T>
  DYAD_DEVICE_INLINE void operator()(const Backward<T>& b) const {
    b.set(0, b.gate(0) > T(0) ? b.gradient() : T(0));
    b.hidden() = T(0);
  }
};
struct GruBack {
  template <class T>
  DYAD_DEVICE_INLINE void operator()(const Backward<T>& b) const {
    const T gradient = b.gradient();
    const T reset = math::sigmoid(b.gate(0) + b.state_gate(0));
    const T update = math::sigmoid(b.gate(1) + b.state_gate(1));
    const T from_state = b.state_gate(2);
    const T fresh = math::tanh(b.gate(2) + reset * from_state);
    const T of_fresh = through_tanh(gradient * (T(1) - update), fresh);
    const T of_reset = through_sigmoid(of_fresh * from_state, reset);
    const T of_update = through_sigmoid(gradient * (b.before() - fresh), update);
    b.set(0, of_reset);
    b.set_state(0, of_reset);
    b.set(1, of_update);
    b.set_state(1, of_update);
    b.set(2, of_fresh);
    b.set_state(2, of_fresh * reset);
    b.hidden() = gradient * update;
  }
};
struct LstmBack {
  template <class T>
  DYAD_DEVICE_INLINE void operator()(const Backward<T>& b) const {
    const T gradient = b.gradient();
    const T accept = math::sigmoid(b.gate(0));
    const T keep = math::sigmoid(b.gate(1));
    const T candidate = math::tanh(b.gate(2));
    const T show = math::sigmoid(b.gate(3));
    const T shown = math::tanh(keep * b.before() + accept * candidate);
    const T of_cell = b.cell() + through_tanh(gradient * show, shown);
    b.set(0, through_sigmoid(of_cell * candidate, accept));
    b.set(1, through_sigmoid(of_cell * b.before(), keep));
    b.set(2, through_tanh(of_cell * accept, candidate));
    b.set(3, through_sigmoid(gradient * shown, show));
    b.cell() = of_cell * keep;
    b.hidden() = T(0);
  }
};

template <class T>
DYAD_DEVICE_INLINE void walk_cells(const LstmCellsParams& p) {
  DYAD_FOR_EACH(i, p.batch * p.width) {
    const int64_t sequence = i / p.width;
    T cell = static_cast<const T*>(p.first)[i];
    for (int64_t k = 0; k < p.count; ++k) {
      const int64_t step = p.reverse ? p.count - 1 - k : k;
      static_cast<T*>(p.before)[step * p.batch * p.width + i] = cell;
      if (!is_running(p.lengths, sequence, step)) continue;
      const T* gates =
          static_cast<const T*>(p.gates) + (step * p.batch + sequence) * 4 * p.width + i % p.width;
      const T fresh = math::sigmoid(gates[0]) * math::tanh(gates[2 * p.width]);
      cell = math::sigmoid(gates[p.width]) * cell + fresh;
    }
  }
}

#define DYAD_RECURRENT(suffix, T)                                                                           \
  DYAD_DEVICE_KERNEL(rnn_tanh_##suffix, RecurrentParams) { advance_all<T>(p, 1, TanhStep{}); }              \
  DYAD_DEVICE_KERNEL(rnn_relu_##suffix, RecurrentParams) { advance_all<T>(p, 1, ReluStep{}); }              \
  DYAD_DEVICE_KERNEL(gru_##suffix, RecurrentParams) { advance_all<T>(p, 3, GruStep{}); }                    \
  DYAD_DEVICE_KERNEL(lstm_##suffix, RecurrentParams) { advance_all<T>(p, 4, LstmStep{}); }                  \
  DYAD_DEVICE_KERNEL(rnn_tanh_gradient_##suffix, RecurrentGradientParams) { go_back<T>(p, 1, TanhBack{}); } \
  DYAD_DEVICE_KERNEL(rnn_relu_gradient_##suffix, RecurrentGradientParams) { go_back<T>(p, 1, ReluBack{}); } \
  DYAD_DEVICE_KERNEL(gru_gradient_##suffix, RecurrentGradientParams) { go_back<T>(p, 3, GruBack{}); }       \
  DYAD_DEVICE_KERNEL(lstm_gradient_##suffix, RecurrentGradientParams) { go_back<T>(p, 4, LstmBack{}); }     \
  DYAD_DEVICE_KERNEL(lstm_cells_##suffix, LstmCellsParams) { walk_cells<T>(p); }

DYAD_RECURRENT(float32, float)
DYAD_RECURRENT(float64, double)

}  // namespace dyad::cuda::device
