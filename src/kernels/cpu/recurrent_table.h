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

struct RecurrentTable {
  RecurrentLoops<float> float32;
  RecurrentLoops<double> float64;
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
