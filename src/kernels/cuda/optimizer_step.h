#pragma once

// What the steps of all optimisers do on the host.

#include <functional>
#include <span>

#include "kernels/cuda/params/optimizer.h"
#include "runtime/kernel.h"

namespace dyad::cuda {

DeviceNumber number_of(const ValueImpl& value);

/// Whether the tensors of the lists are all alike, so that one kernel takes them.
bool alike(const KernelCall& call, std::span<const size_t> lists);

/// Whether the numbers of a list can be written by a kernel.
bool counters_fit(const KernelCall& call, size_t list);

/// What the steps of one call have in common, and where rates and decays are found.
struct Step {
  const char* kernel;
  std::span<const size_t> lists;
  size_t rates;
  size_t decays;
  std::span<const size_t> held = {};  ///< lists of numbers that the step changes, one for each parameter
};

/// Calls `run(p, first)` with all parameters, as many at a time as a launch holds; `first` is the number of
/// the first one.
void for_each_group(const KernelCall& call, const Step& step, StepParams& p,
                    const std::function<void(StepParams& p, size_t first)>& run);

/// Runs a kernel with a block for each part of the parameters.
void launch_step(const KernelCall& call, const char* kernel, const StepParams& p, DType dtype);
/// Runs a kernel with a thread for each parameter.
void launch_counters(const KernelCall& call, const char* kernel, const StepParams& p);

/// Takes a step with all parameters.
void take_step(const KernelCall& call, const Step& step, StepParams p);

/// Multiplies powers of betas, which the step then reads.
void advance_powers(const KernelCall& call, const ValueList& powers, const Floats& betas);

}  // namespace dyad::cuda
