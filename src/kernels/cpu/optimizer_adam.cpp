#include <cmath>

#include "kernels/cpu/optimizer_step.h"
#include "kernels/scalar/optimizer_options.h"

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
  const double beta1 = call.floats(8)[0];
  const double beta2 = call.floats(8)[1];
  const double step = this_step(call, 5);
  auto momentum_at = [&](double t) { return beta1 * (1 - 0.5 * std::pow(0.96, t * call.real(10))); };
  const double momentum = momentum_at(step);
  const double next = momentum_at(step + 1);
  StepTensors tensors(call, {0, 1, 2, 3});
  std::vector<AdamSettings> settings(tensors.count());
  for (size_t i = 0; i < settings.size(); ++i) {
    const double rate = setting_of(call, 6, i);
    const double product = next_power(*call.values(4)[i], momentum);
    settings[i] = {.moment_rate = rate * next / (1 - product * next),
                   .gradient_rate = rate * (1 - momentum) / (1 - product),
                   .scale = 1,
                   .decay = setting_of(call, 7, i),
                   .keep = 1,
                   .intake1 = 1 - beta1,
                   .intake2 = 1 - beta2,
                   .root_scale = 1 / std::sqrt(1 - std::pow(beta2, step)),
                   .epsilon = call.real(9)};
  }
  tensors.run(step_table().adam, settings);
}

void run_radam(const KernelCall& call) {
  const double beta1 = call.floats(7)[0];
  const double beta2 = call.floats(7)[1];
  const double step = this_step(call, 4);
  const double power2 = std::pow(beta2, step);
  const double limit = 2 / (1 - beta2) - 1;
  const double length = limit - 2 * step * power2 / (1 - power2);
  // While too few gradients were seen to know their variance, the mean alone moves the parameter.
  const bool known = length > 5;
  const double rectified =
      known ? std::sqrt((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)) *
                  std::sqrt(1 - power2)
            : 1;
  StepTensors tensors(call, {0, 1, 2, 3});
  std::vector<AdamSettings> settings(tensors.count());
  for (size_t i = 0; i < settings.size(); ++i) {
    settings[i] = {.moment_rate = setting_of(call, 5, i) / (1 - std::pow(beta1, step)) * rectified,
                   .gradient_rate = 0,
                   .scale = 1,
                   .decay = setting_of(call, 6, i),
                   .keep = 1,
                   .intake1 = 1 - beta1,
                   .intake2 = 1 - beta2,
                   .root_scale = known ? 1.0 : 0.0,
                   .epsilon = known ? call.real(8) : 1};
  }
  tensors.run(step_table().adam, settings);
}

void run_adamax(const KernelCall& call) {
  const double beta1 = call.floats(7)[0];
  const double power = next_power(*call.values(4)[0], beta1);
  StepTensors tensors(call, {0, 1, 2, 3});
  std::vector<AdamaxSettings> settings(tensors.count());
  for (size_t i = 0; i < settings.size(); ++i) {
    settings[i] = {.rate = setting_of(call, 5, i) / (1 - power),
                   .scale = call.real(9),
                   .decay = setting_of(call, 6, i),
                   .intake1 = 1 - beta1,
                   .beta2 = call.floats(7)[1],
                   .inner_epsilon = 0,
                   .epsilon = call.real(8)};
  }
  tensors.run(step_table().adamax, settings);
}

void run_adamax_counted(const KernelCall& call) {
  const double beta1 = call.floats(7)[0];
  const double correction = 1 - std::pow(beta1, this_step(call, 4));
  StepTensors tensors(call, {0, 1, 2, 3});
  std::vector<AdamaxSettings> settings(tensors.count());
  for (size_t i = 0; i < settings.size(); ++i) {
    settings[i] = {.rate = setting_of(call, 5, i) / correction,
                   .scale = call.real(9),
                   .decay = setting_of(call, 6, i),
                   .intake1 = 1 - beta1,
                   .beta2 = call.floats(7)[1],
                   .inner_epsilon = call.real(8),
                   .epsilon = 0};
  }
  tensors.run(step_table().adamax, settings);
}

void run_lamb(const KernelCall& call) {
  const double step = this_step(call, 4);
  const double beta1 = call.floats(7)[0];
  const double beta2 = call.floats(7)[1];
  StepTensors tensors(call, {0, 1, 2, 3}, true);
  std::vector<LambSettings> settings(tensors.count());
  for (size_t i = 0; i < settings.size(); ++i) {
    settings[i] = {.rate = setting_of(call, 5, i),
                   .decay = setting_of(call, 6, i),
                   .intake1 = 1 - beta1,
                   .intake2 = 1 - beta2,
                   .correction1 = 1 / (1 - std::pow(beta1, step)),
                   .correction2 = 1 / (1 - std::pow(beta2, step)),
                   .epsilon = call.real(8)};
  }
  const std::vector<StepTensors::Sums> squares = tensors.sum(step_table().lamb_observe, settings);
  for (size_t i = 0; i < settings.size(); ++i) {
    const auto [parameter, direction] = squares[i];
    if (parameter > 0 && direction > 0) settings[i].rate *= std::sqrt(parameter / direction);
  }
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
