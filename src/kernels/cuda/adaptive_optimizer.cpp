// Steps of further optimisers. Where tensors of a step differ in dtype or lie apart, it is taken on the CPU.

#include "kernels/cuda/optimizer_step.h"
#include "runtime/cuda/launch.h"
#include "runtime/cuda/memory.h"
#include "tensor/host_route.h"

namespace dyad::cuda {

namespace {

constexpr size_t kThree[] = {0, 1, 2};
constexpr size_t kFour[] = {0, 1, 2, 3};
constexpr size_t kFive[] = {0, 1, 2, 3, 4};

/// The arguments that the operators change, by the number of their states.
constexpr int kOneState[] = {0, 2};
constexpr int kTwoStates[] = {0, 2, 3};
constexpr int kThreeStates[] = {0, 2, 3, 4};

/// (params, gradients, accums, rates, decays, epsilon, scale, update_slots, step, rate_decay)
void run_adagrad(const KernelCall& call) {
  if (!alike(call, kThree)) return run_on_host(call, kOneState);
  StepParams p{};
  if (call.has(8)) p.first = number_of(call.in(8));
  p.adagrad = {call.real(5), call.real(6), call.real(9), call.flag(7)};
  take_step(call, {"step_adagrad", kThree, 3, 4}, p);
}

/// (params, gradients, squares, moments, means, rates, decays, rho, momentum, epsilon, scale, rooted)
void run_rmsprop(const KernelCall& call) {
  const bool centered = !call.values(4).empty();
  const std::span<const size_t> lists = std::span(kFive).first(centered ? 5 : 4);
  if (!alike(call, lists)) return run_on_host(call, kThreeStates);
  StepParams p{};
  p.rmsprop = {call.real(7), call.real(8), call.real(9), call.real(10), call.flag(11)};
  take_step(call, {centered ? "step_rmsprop_centered" : "step_rmsprop", lists, 5, 6}, p);
}

/// (params, gradients, accums, updates, rates, decays, rho, epsilon, scale)
void run_adadelta(const KernelCall& call) {
  if (!alike(call, kFour)) return run_on_host(call, kTwoStates);
  StepParams p{};
  p.adadelta = {call.real(6), call.real(7), call.real(8)};
  take_step(call, {"step_adadelta", kFour, 4, 5}, p);
}

/// (params, gradients, accums, linears, rates, decays, l1, l2, power of the rate, scale)
void run_ftrl(const KernelCall& call) {
  if (!alike(call, kFour)) return run_on_host(call, kTwoStates);
  StepParams p{};
  p.regularized = {call.real(6), call.real(7), -call.real(8), call.real(9)};
  take_step(call, {p.regularized.power == 0.5 ? "step_ftrl_root" : "step_ftrl", kFour, 4, 5}, p);
}

/// (params, gradients, accums, rates, decays, l1, l2, scale)
void run_proximal_adagrad(const KernelCall& call) {
  if (!alike(call, kThree)) return run_on_host(call, kOneState);
  StepParams p{};
  p.regularized = {call.real(5), call.real(6), 0, call.real(7)};
  take_step(call, {"step_proximal_adagrad", kThree, 3, 4}, p);
}

/// (params, gradients, previous, sizes, step, rates, decays, factors, bounds, scale)
void run_rprop(const KernelCall& call) {
  if (!alike(call, kFour)) return run_on_host(call, kTwoStates);
  StepParams p{};
  p.first = number_of(call.in(4));
  p.rprop = {call.floats(7)[0], call.floats(7)[1], call.floats(8)[0], call.floats(8)[1], call.real(9)};
  take_step(call, {"step_rprop", kFour, 5, 6}, p);
}

/// (params, gradients, averages, etas, mus, step, rates, decays, lambd, alpha, start, scale)
void run_asgd(const KernelCall& call) {
  constexpr size_t kHeld[] = {3, 4};
  if (!alike(call, kThree) || !counters_fit(call, 3) || !counters_fit(call, 4))
    return run_on_host(call, kThreeStates);
  StepParams p{};
  p.first = number_of(call.in(5));
  p.asgd = {call.real(8), call.real(9), call.real(10), call.real(11)};
  const Step step{"step_asgd", kThree, 6, 7, kHeld};
  for_each_group(call, step, p, [&](const StepParams& group, size_t) {
    launch_step(call, step.kernel, group, call.values(0)[0]->dtype);
    launch_counters(call, "finish_asgd", group);
  });
}

/// (params, gradients, moment1, moment2, products, step, rates, decays, betas, epsilon, momentum_decay)
void run_nadam(const KernelCall& call) {
  constexpr size_t kHeld[] = {4};
  if (!alike(call, kFour) || !counters_fit(call, 4)) return run_on_host(call, kThreeStates);
  StepParams p{};
  p.first = number_of(call.in(5));
  p.adam = {call.floats(8)[0], call.floats(8)[1], call.real(9), 1, false, false};
  p.momentum_decay = call.real(10);
  const Step step{"step_nadam", kFour, 6, 7, kHeld};
  for_each_group(call, step, p, [&](const StepParams& group, size_t) {
    launch_counters(call, "advance_nadam", group);
    launch_step(call, step.kernel, group, call.values(0)[0]->dtype);
  });
}

/// (params, gradients, moment1, moment2, step, rates, decays, betas, epsilon)
void run_radam(const KernelCall& call) {
  if (!alike(call, kFour)) return run_on_host(call, kTwoStates);
  StepParams p{};
  p.first = number_of(call.in(4));
  p.adam = {call.floats(7)[0], call.floats(7)[1], call.real(8), 1, false, false};
  take_step(call, {"step_radam", kFour, 5, 6}, p);
}

/// (params, gradients, moment1, moment2, powers, rates, decays, betas, epsilon, scale)
void run_adamax(const KernelCall& call) {
  if (!alike(call, kFour) || call.values(4).size() != 1 || !counters_fit(call, 4))
    return run_on_host(call, kThreeStates);
  advance_powers(call, call.values(4), call.floats(7));
  StepParams p{};
  p.first = number_of(*call.values(4)[0]);
  p.adam = {call.floats(7)[0], call.floats(7)[1], call.real(8), call.real(9), false, false};
  take_step(call, {"step_adamax", kFour, 5, 6}, p);
}

/// (params, gradients, moment1, moment2, step, rates, decays, betas, epsilon, scale)
void run_adamax_counted(const KernelCall& call) {
  if (!alike(call, kFour)) return run_on_host(call, kTwoStates);
  StepParams p{};
  p.first = number_of(call.in(4));
  p.adam = {call.floats(7)[0], call.floats(7)[1], call.real(8), call.real(9), false, false};
  take_step(call, {"step_adamax_counted", kFour, 5, 6}, p);
}

/// Runs a kernel that leaves sums for each block and adds those of a parameter up.
void sum_over_parameters(const KernelCall& call, const char* kernel, const StepParams& p, DType dtype) {
  launch_step(call, kernel, p, dtype);
  launch(call.device().index, "total_sums", {.x = static_cast<unsigned>(p.count)}, p);
}

/// The sums of a group: two for each block, then two for each parameter.
class Sums {
 public:
  Sums(const KernelCall& call, StepParams& p)
      : room_(call.device().index,
              static_cast<size_t>(2 * (p.first_block[p.count] + kStepTensors)) * sizeof(double)) {
    p.sums = room_.as<double>();
    p.totals = p.sums + 2 * static_cast<size_t>(p.first_block[p.count]);
  }

 private:
  DeviceWorkspace room_;
};

/// (params, gradients, moment1, moment2, step, rates, decays, betas, epsilon)
void run_lamb(const KernelCall& call) {
  if (!alike(call, kFour)) return run_on_host(call, kTwoStates);
  StepParams p{};
  p.first = number_of(call.in(4));
  p.adam = {call.floats(7)[0], call.floats(7)[1], call.real(8), 1, false, false};
  for_each_group(call, {"step_lamb", kFour, 5, 6}, p, [&](StepParams& group, size_t) {
    const DType dtype = call.values(0)[0]->dtype;
    const Sums sums(call, group);
    sum_over_parameters(call, "observe_lamb", group, dtype);
    launch_step(call, "step_lamb", group, dtype);
  });
}

/// (params, gradients, decays, rates, layers, epsilon, coefficient, scale) -> gradients
void run_lars(const KernelCall& call) {
  constexpr size_t kTwo[] = {0, 1};
  if (!alike(call, kTwo)) return run_on_host(call);
  std::vector<bool> layers(call.values(1).size());
  for (Dim layer : call.dims(4)) layers[static_cast<size_t>(layer.value())] = true;
  StepParams p{};
  p.lars = {call.real(5), call.real(6), call.real(7), !call.values(3).empty()};
  for_each_group(call, {"scale_layer", kTwo, 3, 2}, p, [&](StepParams& group, size_t first) {
    const DType dtype = call.values(0)[0]->dtype;
    group.chosen = 0;
    for (size_t i = 0; i < static_cast<size_t>(group.count); ++i) {
      group.tensors[i].at[2] = call.out(first + i).data;
      if (layers[first + i]) group.chosen |= 1u << i;
    }
    const Sums sums(call, group);
    if (group.chosen != 0) sum_over_parameters(call, "sum_squares", group, dtype);
    launch_step(call, "scale_layer", group, dtype);
  });
}

}  // namespace

DYAD_CUDA_KERNEL(adagrad_step, run_adagrad);
DYAD_CUDA_KERNEL(rmsprop_step, run_rmsprop);
DYAD_CUDA_KERNEL(adadelta_step, run_adadelta);
DYAD_CUDA_KERNEL(ftrl_step, run_ftrl);
DYAD_CUDA_KERNEL(proximal_adagrad_step, run_proximal_adagrad);
DYAD_CUDA_KERNEL(rprop_step, run_rprop);
DYAD_CUDA_KERNEL(asgd_step, run_asgd);
DYAD_CUDA_KERNEL(nadam_step, run_nadam);
DYAD_CUDA_KERNEL(radam_step, run_radam);
DYAD_CUDA_KERNEL(adamax_step, run_adamax);
DYAD_CUDA_KERNEL(adamax_counted_step, run_adamax_counted);
DYAD_CUDA_KERNEL(lamb_step, run_lamb);
DYAD_CUDA_KERNEL(lars_gradients, run_lars);

}  // namespace dyad::cuda
