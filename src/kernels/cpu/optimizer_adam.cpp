#include <cmath>

#include "kernels/cpu/optimizer_step.h"
#include "kernels/scalar/optimizer_settings.h"

namespace dyad::kernels {

namespace {

/// Multiplies a power of a beta on and gives it.
double next_power(ValueImpl& power, double beta) {
  store(number_in(power) * beta, power.dtype, power.data);
  return number_in(power);
}

void run_adam(const KernelCall& call) {
  const double beta1 = call.floats(8)[0];
  const double beta2 = call.floats(8)[1];
  const double power1 = next_power(*call.values(5)[0], beta1);
  const double power2 = next_power(*call.values(5)[1], beta2);
  const double correction = std::sqrt(1 - power2) / (1 - power1);
  const bool nesterov = call.flag(11);
  const bool amsgrad = !call.values(4).empty();
  StepTensors tensors = amsgrad ? StepTensors(call, {0, 1, 2, 3, 4}) : StepTensors(call, {0, 1, 2, 3});
  std::vector<AdamSettings> settings(tensors.count());
  for (size_t i = 0; i < settings.size(); ++i) {
    const double rate = setting_of(call, 6, i) * correction;
    settings[i] = {.moment_rate = nesterov ? rate * beta1 : rate,
                   .gradient_rate = nesterov ? rate * (1 - beta1) : 0,
                   .scale = call.real(10),
                   .decay = setting_of(call, 7, i),
                   .keep = 1,
                   .intake1 = 1 - beta1,
                   .intake2 = 1 - beta2,
                   .root_scale = 1,
                   .epsilon = call.real(9)};
  }
  tensors.run(amsgrad ? step_table().adam_amsgrad : step_table().adam, settings);
}

void run_adam_weight_decay(const KernelCall& call) {
  StepTensors tensors(call, {0, 1, 2, 3});
  std::vector<AdamSettings> settings(tensors.count());
  for (size_t i = 0; i < settings.size(); ++i) {
    const double rate = setting_of(call, 4, i);
    settings[i] = {.moment_rate = rate,
                   .gradient_rate = 0,
                   .scale = 1,
                   .decay = 0,
                   .keep = 1 - rate * setting_of(call, 5, i),
                   .intake1 = 1 - call.floats(6)[0],
                   .intake2 = 1 - call.floats(6)[1],
                   .root_scale = 1,
                   .epsilon = call.real(7)};
  }
  tensors.run(step_table().adam, settings);
}

}  // namespace

DYAD_CPU_KERNEL(adam_step, run_adam);
DYAD_CPU_KERNEL(adam_weight_decay_step, run_adam_weight_decay);

}  // namespace dyad::kernels
