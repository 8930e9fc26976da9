// The optimisers that most programs use, over all parameters of a network at once. Where tensors of a step
// differ in dtype or lie apart, it is taken on the CPU.

#include <mutex>
#include <set>
#include <string>

#include "base/text.h"
#include "kernels/cuda/operand.h"
#include "kernels/cuda/optimizer_step.h"
#include "kernels/cuda/storage_suffix.h"
#include "runtime/cuda/faults.h"
#include "runtime/cuda/launch.h"
#include "tensor/host_route.h"

namespace dyad::cuda {

namespace {

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

/// (params, gradients, moment1, moment2, largest, powers, rates, decays, betas, epsilon, scale, nesterov)
void run_adam(const KernelCall& call) {
  constexpr size_t kLists[] = {0, 1, 2, 3, 4};
  const bool amsgrad = !call.values(4).empty();
  const std::span<const size_t> lists = std::span(kLists).first(amsgrad ? 5 : 4);
  if (!alike(call, lists) || call.values(5).size() != 2 || !counters_fit(call, 5))
    return run_on_host(call, kAdamUpdates);
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

/// A name that lives as long as the process. Optimisers have few.
std::string_view kept_name(const std::string& name) {
  static std::mutex lock;
  static auto* const names = new std::set<std::string>;
  const std::lock_guard guard(lock);
  return *names->insert(name).first;
}

/// (rates, step, owner)
void run_rate_of_step(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const Operand rates(call.in(0));
  const Operand steps(call.in(1), call.in(1).dtype == DType::kInt32 ? DType::kInt32 : DType::kInt64);
  RateOfStepParams p{};
  p.out = out.data;
  p.rates = rates.as();
  p.steps = steps.as();
  p.count = out.size();
  p.length = rates->size();
  p.wide = steps->dtype == DType::kInt64;
  p.fault = fault_place(out.device.index, kept_name(call.text(2)), p.ticket);
  launch(out.device.index, cat("rate_of_step", storage_suffix(out.dtype)), cover(p.count), p);
}

}  // namespace

DYAD_CUDA_KERNEL(rate_of_step, run_rate_of_step);
DYAD_CUDA_KERNEL(momentum_step, run_momentum);
DYAD_CUDA_KERNEL(sgd_step, run_sgd);
DYAD_CUDA_KERNEL(adam_step, run_adam);
DYAD_CUDA_KERNEL(adam_weight_decay_step, run_adam_weight_decay);
DYAD_CUDA_KERNEL(adamw_step, run_adamw);

}  // namespace dyad::cuda
