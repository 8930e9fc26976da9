#pragma once

#include <cstdint>

namespace dyad::kernels {

/// Runs an optimiser's step over `count` contiguous elements. `streams`: the parameter, the gradient, then
/// the states. `settings` is the struct that the step of that name defines.
using StepLoop = void (*)(int64_t count, void* const* streams, const void* settings);

/// The loops of one step by the type it computes in.
struct StepLoops {
  StepLoop float32;
  StepLoop float64;
};

struct StepTable {
  StepLoops momentum;
  StepLoops descent;
  StepLoops sgd;
  StepLoops adam;
  StepLoops adam_amsgrad;
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
