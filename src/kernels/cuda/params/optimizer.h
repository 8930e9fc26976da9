#pragma once

#include <cstdint>

#include "kernels/scalar/adaptive_options.h"
#include "runtime/cuda/fault.h"

namespace dyad::cuda {

/// A number on the device: its place and its dtype. Without a place it is 0.
struct DeviceNumber {
  const void* at;
  uint32_t dtype;
};

/// One parameter of an optimiser's step, its gradient and its states, all of one dtype and in row-major
/// order.
struct StepTensor {
  void* at[5];
  int64_t count;
  DeviceNumber rate;
  DeviceNumber decay;
  DeviceNumber held[2];  ///< what the optimiser counts in for each parameter; the step changes it
};

inline constexpr int kStepTensors = 32;
inline constexpr int64_t kStepElements = 4096;  ///< of a parameter that a block takes

/// A step over so many parameters as a launch takes; block b works on the parameter whose first block is the
/// last one up to b.
struct StepParams {
  StepTensor tensors[kStepTensors];
  uint32_t first_block[kStepTensors + 1];
  int32_t count;
  DeviceNumber first;  ///< what the optimiser counts in: powers of betas, the step, the momentum
  DeviceNumber second;
  union {
    kernels::AdamOptions adam;
    kernels::DescentOptions descent;
    kernels::AdagradOptions adagrad;
    kernels::RmspropOptions rmsprop;
    kernels::AdadeltaOptions adadelta;
    kernels::RegularizedOptions regularized;
    kernels::RpropOptions rprop;
    kernels::AsgdOptions asgd;
    kernels::LarsOptions lars;
  };
  double momentum_decay;  ///< of NAdam
  double* sums;           ///< two for each block, where a step takes sums over whole parameters
  double* totals;         ///< two for each parameter
  uint32_t chosen;        ///< a bit for each parameter whose gradient LARS scales by its norms
};

/// Multiplies the powers of betas on.
struct PowerParams {
  void* powers[2];
  uint32_t dtypes[2];
  double betas[2];
  int32_t count;
};

/// The entries of a list of learning rates at `count` steps, which are int32 or, `wide`, int64.
struct RateOfStepParams {
  void* out;
  const void* rates;
  const void* steps;
  int64_t count;
  int64_t length;
  uint32_t wide;
  uint32_t ticket;
  Fault* fault;
};

}  // namespace dyad::cuda
