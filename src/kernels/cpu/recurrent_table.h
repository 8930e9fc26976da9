#pragma once

#include <cstdint>

namespace dyad::kernels {

/// What one step of a recurrent layer gives to the gates of one sequence. `input` and `state` are the two
/// shares, each gate `…_step` elements after the one before; `bias` belongs to the state and lies like
/// `input`.
template <class T>
struct GateShares {
  const T* input;
  const T* state;
  const T* bias;
  int64_t input_step;
  int64_t state_step;
};

/// The arithmetic of one step for `count` elements of each gate: `hidden` and `cell` are replaced by the new
/// state.
template <class T>
struct RecurrentLoops {
  void (*rnn_tanh)(const GateShares<T>& gates, int64_t count, T* hidden);
  void (*rnn_relu)(const GateShares<T>& gates, int64_t count, T* hidden);
  /// Gates in the order reset, update, new.
  void (*gru)(const GateShares<T>& gates, int64_t count, T* hidden);
  /// Gates in the order input, forget, cell, output.
  void (*lstm)(const GateShares<T>& gates, int64_t count, T* hidden, T* cell);
};

/// The gradient of one step for `count` elements of each gate, one gate after the other. `output` is the
/// gradient of the step's output; that of the state, `hidden`, goes in and what passes by the gates comes
/// out.
template <class T>
struct RecurrentGradientLoops {
  void (*rnn_tanh)(const T* gates, int64_t count, const T* output, T* hidden, T* gate_gradient);
  void (*rnn_relu)(const T* gates, int64_t count, const T* output, T* hidden, T* gate_gradient);
  /// `before` is the state before the step.
  void (*gru)(const T* input, const T* state, const T* before, int64_t count, const T* output, T* hidden,
              T* input_gradient, T* state_gradient);
  /// The cell after a step from the one before it.
  void (*lstm_cell)(const T* gates, const T* before, int64_t count, T* after);
  /// `before` is the cell before the step; `cell`, the gradient of the cell, becomes that of the one before.
  void (*lstm)(const T* gates, const T* before, int64_t count, const T* output, T* hidden, T* cell,
               T* gate_gradient);
};

/// The loops of one instruction set.
struct RecurrentTable {
  RecurrentLoops<float> float32;
  RecurrentLoops<double> float64;
  RecurrentGradientLoops<float> gradient_float32;
  RecurrentGradientLoops<double> gradient_float64;
};

namespace baseline {
extern const RecurrentTable recurrent_table;
}
namespace avx2 {
extern const RecurrentTable recurrent_table;
}
namespace avx512 {
extern const RecurrentTable recurrent_table;
}

}  // namespace dyad::kernels
