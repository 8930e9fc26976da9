#pragma once

#include <cstdint>

namespace dyad::kernels {

/// Runs an optimiser's step over `count` contiguous elements. `streams`: the parameter, the gradient, then
/// the states. `settings` is the struct that the step of that name defines.
using StepLoop = void (*)(int64_t count, void* const* streams, const void* settings);

/// A loop that also takes two sums over the elements, in an order that is the same for every instruction set.
using SumLoop = void (*)(int64_t count, void* const* streams, const void* settings, double* sums);

/// The loops of one step by the type it computes in.
struct StepLoops {
  StepLoop float32;
  StepLoop float64;
};

/// The same for a sum.
struct SumLoops {
  SumLoop float32;
  SumLoop float64;
};

/// The steps of one instruction set, by optimiser.
struct StepTable {
  StepLoops momentum;
  StepLoops descent;
  StepLoops sgd;
  StepLoops adam;
  StepLoops adam_amsgrad;
  StepLoops adamax;
  StepLoops adagrad;
  StepLoops rmsprop;
  StepLoops rmsprop_centered;
  StepLoops adadelta;
  StepLoops ftrl;
  StepLoops ftrl_root;
  StepLoops proximal_adagrad;
  StepLoops rprop;
  StepLoops asgd;
  StepLoops lamb;
  /// Brings Lamb's moments up to date; sums: Σ p² and Σ direction².
  SumLoops lamb_observe;
};

namespace baseline {
extern const StepTable step_table;
}
namespace avx2 {
extern const StepTable step_table;
}
namespace avx512 {
extern const StepTable step_table;
}
/// The table for this machine.
const StepTable& step_table();

}  // namespace dyad::kernels
