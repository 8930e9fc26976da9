#include "kernels/cpu/optimizer_step.h"
#include "kernels/scalar/optimizer_options.h"

namespace dyad::kernels {

namespace {

void run_momentum(const KernelCall& call) {
  StepTensors tensors(call, {0, 1, 2});
  std::vector<MomentumSettings> settings(tensors.count());
  const double momentum = number_in(call.in(5));
  const DescentOptions options{.scale = call.real(6), .intake = 1, .nesterov = call.flag(7)};
  for (size_t i = 0; i < settings.size(); ++i)
    settings[i] = momentum_settings(options, setting_of(call, 3, i), setting_of(call, 4, i), momentum);
  tensors.run(step_table().momentum, settings);
}

void run_sgd(const KernelCall& call) {
  const double momentum = number_in(call.in(6));
  if (momentum == 0) {
    StepTensors tensors(call, {0, 1});
    std::vector<DescentSettings> settings(tensors.count());
    for (size_t i = 0; i < settings.size(); ++i) {
      settings[i] = {.rate = setting_of(call, 4, i), .scale = call.real(8), .decay = setting_of(call, 5, i)};
    }
    return tensors.run(step_table().descent, settings);
  }
  StepTensors tensors(call, {0, 1, 2, 3});
  std::vector<SgdSettings> settings(tensors.count());
  const DescentOptions options{.scale = call.real(8), .intake = 1 - call.real(7), .nesterov = call.flag(9)};
  for (size_t i = 0; i < settings.size(); ++i)
    settings[i] = sgd_settings(options, setting_of(call, 4, i), setting_of(call, 5, i), momentum);
  tensors.run(step_table().sgd, settings);
}

}  // namespace

DYAD_CPU_KERNEL(momentum_step, run_momentum);
DYAD_CPU_KERNEL(sgd_step, run_sgd);

}  // namespace dyad::kernels
