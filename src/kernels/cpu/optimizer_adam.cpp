#include "kernels/cpu/optimizer_step.h"
#include "kernels/scalar/adaptive_options.h"

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
  const AdamOptions options{beta1, beta2, call.real(9), call.real(10), call.flag(11), false};
  const bool amsgrad = !call.values(4).empty();
  StepTensors tensors = amsgrad ? StepTensors(call, {0, 1, 2, 3, 4}) : StepTensors(call, {0, 1, 2, 3});
  std::vector<AdamSettings> settings(tensors.count());
  for (size_t i = 0; i < settings.size(); ++i)
    settings[i] = adam_settings(options, setting_of(call, 6, i), setting_of(call, 7, i), power1, power2);
  tensors.run(amsgrad ? step_table().adam_amsgrad : step_table().adam, settings);
}

void run_adam_weight_decay(const KernelCall& call) {
  StepTensors tensors(call, {0, 1, 2, 3});
  std::vector<AdamSettings> settings(tensors.count());
  const AdamOptions options{call.floats(6)[0], call.floats(6)[1], call.real(7), 1, false, true};
  for (size_t i = 0; i < settings.size(); ++i)
    settings[i] = adam_weight_decay_settings(options, setting_of(call, 4, i), setting_of(call, 5, i));
  tensors.run(step_table().adam, settings);
}

/// Number of the step that is being taken, from the number of those before it.
double this_step(const KernelCall& call, size_t argument) { return number_in(call.in(argument)) + 1; }

void run_adamw(const KernelCall& call) {
  const double step = this_step(call, 5);
  const AdamOptions options{call.floats(8)[0], call.floats(8)[1], call.real(9), call.real(10), false,
                            call.flag(11)};
  const bool amsgrad = !call.values(4).empty();
  StepTensors tensors = amsgrad ? StepTensors(call, {0, 1, 2, 3, 4}) : StepTensors(call, {0, 1, 2, 3});
  std::vector<AdamSettings> settings(tensors.count());
  for (size_t i = 0; i < settings.size(); ++i)
    settings[i] = adamw_settings(options, setting_of(call, 6, i), setting_of(call, 7, i), step);
  tensors.run(amsgrad ? step_table().adam_amsgrad : step_table().adam, settings);
}

void run_nadam(const KernelCall& call) {
  const AdamOptions options{call.floats(8)[0], call.floats(8)[1], call.real(9), 1, false, false};
  const double step = this_step(call, 5);
  const double momentum = nadam_momentum(options, call.real(10), step);
  StepTensors tensors(call, {0, 1, 2, 3});
  std::vector<AdamSettings> settings(tensors.count());
  for (size_t i = 0; i < settings.size(); ++i) {
    const double product = next_power(*call.values(4)[i], momentum);
    settings[i] =
        nadam_settings(options, call.real(10), setting_of(call, 6, i), setting_of(call, 7, i), step, product);
  }
  tensors.run(step_table().adam, settings);
}

void run_radam(const KernelCall& call) {
  const AdamOptions options{call.floats(7)[0], call.floats(7)[1], call.real(8), 1, false, false};
  const double step = this_step(call, 4);
  StepTensors tensors(call, {0, 1, 2, 3});
  std::vector<AdamSettings> settings(tensors.count());
  for (size_t i = 0; i < settings.size(); ++i)
    settings[i] = radam_settings(options, setting_of(call, 5, i), setting_of(call, 6, i), step);
  tensors.run(step_table().adam, settings);
}

void run_adamax(const KernelCall& call) {
  const AdamOptions options{call.floats(7)[0], call.floats(7)[1], call.real(8), call.real(9), false, false};
  const double power = next_power(*call.values(4)[0], options.beta1);
  StepTensors tensors(call, {0, 1, 2, 3});
  std::vector<AdamaxSettings> settings(tensors.count());
  for (size_t i = 0; i < settings.size(); ++i)
    settings[i] = adamax_settings(options, setting_of(call, 5, i), setting_of(call, 6, i), power);
  tensors.run(step_table().adamax, settings);
}

void run_adamax_counted(const KernelCall& call) {
  const AdamOptions options{call.floats(7)[0], call.floats(7)[1], call.real(8), call.real(9), false, false};
  const double step = this_step(call, 4);
  StepTensors tensors(call, {0, 1, 2, 3});
  std::vector<AdamaxSettings> settings(tensors.count());
  for (size_t i = 0; i < settings.size(); ++i)
    settings[i] = adamax_counted_settings(options, setting_of(call, 5, i), setting_of(call, 6, i), step);
  tensors.run(step_table().adamax, settings);
}

void run_lamb(const KernelCall& call) {
  const double step = this_step(call, 4);
  const AdamOptions options{call.floats(7)[0], call.floats(7)[1], call.real(8), 1, false, false};
  StepTensors tensors(call, {0, 1, 2, 3}, true);
  std::vector<LambSettings> settings(tensors.count());
  for (size_t i = 0; i < settings.size(); ++i)
    settings[i] = lamb_settings(options, setting_of(call, 5, i), setting_of(call, 6, i), step);
  const std::vector<StepTensors::Sums> squares = tensors.sum(step_table().lamb_observe, settings);
  for (size_t i = 0; i < settings.size(); ++i) settings[i].rate *= lamb_trust(squares[i][0], squares[i][1]);
  tensors.run(step_table().lamb, settings);
}

}  // namespace

DYAD_CPU_KERNEL(adam_step, run_adam);
DYAD_CPU_KERNEL(adam_weight_decay_step, run_adam_weight_decay);
DYAD_CPU_KERNEL(adamw_step, run_adamw);
DYAD_CPU_KERNEL(nadam_step, run_nadam);
DYAD_CPU_KERNEL(radam_step, run_radam);
DYAD_CPU_KERNEL(adamax_step, run_adamax);
DYAD_CPU_KERNEL(adamax_counted_step, run_adamax_counted);
DYAD_CPU_KERNEL(lamb_step, run_lamb);

}  // namespace dyad::kernels
