// The optimisers that most programs use, over all parameters of a network at once. Where tensors of a step
// differ in dtype or lie apart, it is taken on the CPU.

#include <algorithm>
#include <span>

#include "base/error.h"
#include "kernels/cuda/params/optimizer.h"
#include "kernels/cuda/storage_suffix.h"
#include "runtime/cuda/launch.h"
#include "runtime/kernel.h"
#include "tensor/host_route.h"

namespace dyad::cuda {

namespace {

DeviceNumber number_of(const ValueImpl& value) { return {value.data, static_cast<uint32_t>(value.dtype)}; }

/// Entry `i` of a list that has one entry per parameter, one for all, or none.
DeviceNumber setting_of(const KernelCall& call, size_t argument, size_t i) {
  const ValueList& list = call.values(argument);
  if (list.empty()) return {};
  return number_of(*list[list.size() == 1 ? 0 : i]);
}

/// Whether the tensors of the lists are all alike, so that one kernel takes them.
bool alike(const KernelCall& call, std::span<const size_t> lists) {
  const ValueList& parameters = call.values(lists[0]);
  if (parameters.empty()) return true;
  const DType dtype = parameters[0]->dtype;
  for (size_t list : lists) {
    for (const Value& value : call.values(list)) {
      if (value->dtype != dtype || !value->contiguous()) return false;
    }
  }
  return is_float(dtype);
}

/// What the steps of one call have in common, and where rates and decays are found.
struct Step {
  const char* kernel;
  std::span<const size_t> lists;
  size_t rates;
  size_t decays;
};

void launch_some(const KernelCall& call, const Step& step, StepParams& p, DType dtype) {
  if (p.count == 0 || p.first_block[p.count] == 0) return;
  Grid grid;
  grid.x = p.first_block[p.count];
  launch(call.device().index, cat(step.kernel, storage_suffix(dtype)), grid, p);
}

/// Takes a step with all parameters, as many at a time as a launch holds.
void take_step(const KernelCall& call, const Step& step, StepParams p) {
  const ValueList& parameters = call.values(step.lists[0]);
  p.count = 0;
  p.first_block[0] = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    StepTensor& tensor = p.tensors[p.count];
    tensor = {};
    for (size_t k = 0; k < step.lists.size(); ++k) tensor.at[k] = call.values(step.lists[k])[i]->data;
    tensor.count = parameters[i]->size();
    tensor.rate = setting_of(call, step.rates, i);
    tensor.decay = setting_of(call, step.decays, i);
    const int64_t blocks = (tensor.count + kStepElements - 1) / kStepElements;
    p.first_block[p.count + 1] = p.first_block[p.count] + static_cast<uint32_t>(blocks);
    if (++p.count < kStepTensors && i + 1 < parameters.size()) continue;
    launch_some(call, step, p, parameters[0]->dtype);
    p.count = 0;
  }
}

/// Multiplies powers of betas, which the step then reads.
void advance_powers(const KernelCall& call, const ValueList& powers, const Floats& betas) {
  PowerParams p{};
  for (size_t i = 0; i < powers.size(); ++i) {
    p.powers[i] = powers[i]->data;
    p.dtypes[i] = static_cast<uint32_t>(powers[i]->dtype);
    p.betas[i] = betas[i];
  }
  p.count = static_cast<int32_t>(powers.size());
  launch(call.device().index, "multiply_powers", {.threads = 32}, p);
}

/// The arguments that the operators of a step change.
constexpr int kMomentumUpdates[] = {0, 2};
constexpr int kSgdUpdates[] = {0, 2, 3};
constexpr int kAdamUpdates[] = {0, 2, 3, 4, 5};
constexpr int kAdamWeightDecayUpdates[] = {0, 2, 3};
constexpr int kAdamWUpdates[] = {0, 2, 3, 4};

/// (params, gradients, moments, learning_rates, decays, momentum, scale, nesterov)
void run_momentum(const KernelCall& call) {
  constexpr size_t kLists[] = {0, 1, 2};
  if (!alike(call, kLists)) return run_on_host(call, kMomentumUpdates);
  StepParams p{};
  p.first = number_of(call.in(5));
  p.descent = {call.real(6), 1, call.flag(7)};
  take_step(call, {"step_momentum", kLists, 3, 4}, p);
}

/// (params, gradients, moments, fresh, learning_rates, decays, momentum, dampening, scale, nesterov)
void run_sgd(const KernelCall& call) {
  constexpr size_t kLists[] = {0, 1, 2, 3};
  if (!alike(call, kLists)) return run_on_host(call, kSgdUpdates);
  StepParams p{};
  p.first = number_of(call.in(6));
  p.descent = {call.real(8), 1 - call.real(7), call.flag(9)};
  take_step(call, {"step_sgd", kLists, 4, 5}, p);
}

bool powers_fit(const ValueList& powers) {
  return powers.size() == 2 && std::ranges::all_of(powers, [](const Value& power) {
           return power->dtype == DType::kFloat32 || power->dtype == DType::kFloat64;
         });
}

/// (params, gradients, moment1, moment2, largest, powers, rates, decays, betas, epsilon, scale, nesterov)
void run_adam(const KernelCall& call) {
  constexpr size_t kLists[] = {0, 1, 2, 3, 4};
  const bool amsgrad = !call.values(4).empty();
  const std::span<const size_t> lists = std::span(kLists).first(amsgrad ? 5 : 4);
  if (!alike(call, lists) || !powers_fit(call.values(5))) return run_on_host(call, kAdamUpdates);
  advance_powers(call, call.values(5), call.floats(8));
  StepParams p{};
  p.first = number_of(*call.values(5)[0]);
  p.second = number_of(*call.values(5)[1]);
  p.adam = {call.floats(8)[0], call.floats(8)[1], call.real(9), call.real(10), call.flag(11), false};
  take_step(call, {amsgrad ? "step_adam_amsgrad" : "step_adam", lists, 6, 7}, p);
}

/// (params, gradients, moment1, moment2, rates, decays, betas, epsilon)
void run_adam_weight_decay(const KernelCall& call) {
  constexpr size_t kLists[] = {0, 1, 2, 3};
  if (!alike(call, kLists)) return run_on_host(call, kAdamWeightDecayUpdates);
  StepParams p{};
  p.adam = {call.floats(6)[0], call.floats(6)[1], call.real(7), 1, false, true};
  take_step(call, {"step_adam_weight_decay", kLists, 4, 5}, p);
}

/// (params, gradients, moment1, moment2, largest, step, rates, decays, betas, epsilon, scale, decoupled)
void run_adamw(const KernelCall& call) {
  constexpr size_t kLists[] = {0, 1, 2, 3, 4};
  const bool amsgrad = !call.values(4).empty();
  const std::span<const size_t> lists = std::span(kLists).first(amsgrad ? 5 : 4);
  if (!alike(call, lists)) return run_on_host(call, kAdamWUpdates);
  StepParams p{};
  p.first = number_of(call.in(5));
  p.adam = {call.floats(8)[0], call.floats(8)[1], call.real(9), call.real(10), false, call.flag(11)};
  take_step(call, {amsgrad ? "step_adamw_amsgrad" : "step_adamw", lists, 6, 7}, p);
}

}  // namespace

DYAD_CUDA_KERNEL(momentum_step, run_momentum);
DYAD_CUDA_KERNEL(sgd_step, run_sgd);
DYAD_CUDA_KERNEL(adam_step, run_adam);
DYAD_CUDA_KERNEL(adam_weight_decay_step, run_adam_weight_decay);
DYAD_CUDA_KERNEL(adamw_step, run_adamw);

}  // namespace dyad::cuda
