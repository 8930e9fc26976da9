#pragma once

#include <cstdint>

namespace dyad::cuda {

/// One step of a recurrent layer over all sequences. Gates are (batch, gates), states (batch, width), both
/// contiguous.
struct RecurrentParams {
  const void* input;       ///< the input's share of the gates
  const void* state;       ///< the state's share without its bias
  const void* bias;        ///< of the state's share, or null
  void* hidden;            ///< the state, replaced by the new one
  void* cell;              ///< of lstm
  void* output;            ///< the new state, or 0 beyond the end of a sequence
  const int64_t* lengths;  ///< of the sequences; null where all are of full length
  int64_t step;
  int64_t batch;
  int64_t width;
};

/// The gradient of one step. `hidden` and `cell` hold the gradients of the states behind the step, and what
/// passes by the gates when it is done.
struct RecurrentGradientParams {
  const void* gates;        ///< both shares together; of gru, the input's share
  const void* state_gates;  ///< of gru: the state's share
  const void* before;       ///< the state (gru) or the cell (lstm) before the step
  const void* output;       ///< the gradient of the step's output
  void* hidden;
  void* cell;
  void* gate_gradient;
  void* state_gradient;  ///< of gru
  const int64_t* lengths;
  int64_t step;
  int64_t batch;
  int64_t width;
};

/// The cell of lstm before each step, (count, batch, width), from the first one and the gates of all steps.
struct LstmCellsParams {
  const void* gates;
  const void* first;
  void* before;
  const int64_t* lengths;
  int64_t count;
  int64_t batch;
  int64_t width;
  bool reverse;
};

}  // namespace dyad::cuda
