#pragma once

#include <cstdint>

namespace dyad::kernels {

/// One step of a recurrent layer for one sequence, after the matrix products. `from_input` and `from_state`
/// are the gates' shares, `count` elements per gate one gate after the other; `hidden` and `cell` are
/// replaced by the new state.
template <class T>
struct RecurrentLoops {
  void (*rnn_tanh)(const T* from_input, const T* from_state, int64_t count, T* hidden);
  void (*rnn_relu)(const T* from_input, const T* from_state, int64_t count, T* hidden);
  /// Gates in the order reset, update, new.
  void (*gru)(const T* from_input, const T* from_state, int64_t count, T* hidden);
  /// Gates in the order input, forget, cell, output.
  void (*lstm)(const T* from_input, const T* from_state, int64_t count, T* hidden, T* cell);
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
