#include "kernels/cpu/optimizer_step.h"
#include "kernels/scalar/adaptive_options.h"

namespace dyad::kernels {

namespace {

void run_adagrad(const KernelCall& call) {
  StepTensors tensors(call, {0, 1, 2});
  std::vector<AdagradSettings> settings(tensors.count());
  const double steps = call.has(8) ? number_in(call.in(8)) : 0;
  const AdagradOptions options{call.real(5), call.real(6), call.real(9), call.flag(7)};
  for (size_t i = 0; i < settings.size(); ++i)
    settings[i] = adagrad_settings(options, setting_of(call, 3, i), setting_of(call, 4, i), steps);
  tensors.run(step_table().adagrad, settings);
}

void run_rmsprop(const KernelCall& call) {
  const bool centered = !call.values(4).empty();
  StepTensors tensors = centered ? StepTensors(call, {0, 1, 2, 3, 4}) : StepTensors(call, {0, 1, 2, 3});
  std::vector<RmspropSettings> settings(tensors.count());
  const RmspropOptions options{call.real(7), call.real(8), call.real(9), call.real(10), call.flag(11)};
  for (size_t i = 0; i < settings.size(); ++i)
    settings[i] = rmsprop_settings(options, setting_of(call, 5, i), setting_of(call, 6, i));
  tensors.run(centered ? step_table().rmsprop_centered : step_table().rmsprop, settings);
}

void run_adadelta(const KernelCall& call) {
  StepTensors tensors(call, {0, 1, 2, 3});
  std::vector<AdadeltaSettings> settings(tensors.count());
  const AdadeltaOptions options{call.real(6), call.real(7), call.real(8)};
  for (size_t i = 0; i < settings.size(); ++i)
    settings[i] = adadelta_settings(options, setting_of(call, 4, i), setting_of(call, 5, i));
  tensors.run(step_table().adadelta, settings);
}

void run_ftrl(const KernelCall& call) {
  StepTensors tensors(call, {0, 1, 2, 3});
  std::vector<FtrlSettings> settings(tensors.count());
  const RegularizedOptions options{call.real(6), call.real(7), -call.real(8), call.real(9)};
  for (size_t i = 0; i < settings.size(); ++i)
    settings[i] = ftrl_settings(options, setting_of(call, 4, i), setting_of(call, 5, i));
  tensors.run(options.power == 0.5 ? step_table().ftrl_root : step_table().ftrl, settings);
}

void run_proximal_adagrad(const KernelCall& call) {
  StepTensors tensors(call, {0, 1, 2});
  std::vector<ProximalSettings> settings(tensors.count());
  const RegularizedOptions options{call.real(5), call.real(6), 0, call.real(7)};
  for (size_t i = 0; i < settings.size(); ++i)
    settings[i] = proximal_settings(options, setting_of(call, 3, i), setting_of(call, 4, i));
  tensors.run(step_table().proximal_adagrad, settings);
}

void run_rprop(const KernelCall& call) {
  StepTensors tensors(call, {0, 1, 2, 3});
  std::vector<RpropSettings> settings(tensors.count());
  const RpropOptions options{call.floats(7)[0], call.floats(7)[1], call.floats(8)[0], call.floats(8)[1],
                             call.real(9)};
  const double steps = number_in(call.in(4));
  for (size_t i = 0; i < settings.size(); ++i)
    settings[i] = rprop_settings(options, setting_of(call, 5, i), setting_of(call, 6, i), steps);
  tensors.run(step_table().rprop, settings);
}

void run_asgd(const KernelCall& call) {
  StepTensors tensors(call, {0, 1, 2});
  std::vector<AsgdSettings> settings(tensors.count());
  const AsgdOptions options{call.real(8), call.real(9), call.real(10), call.real(11)};
  const double step = number_in(call.in(5)) + 1;
  for (size_t i = 0; i < settings.size(); ++i) {
    ValueImpl& eta = *call.values(3)[i];
    ValueImpl& mu = *call.values(4)[i];
    const double rate = setting_of(call, 6, i);
    settings[i] = asgd_settings(options, rate, setting_of(call, 7, i), step, number_in(eta), number_in(mu));
    store(asgd_next_eta(options, rate, step), eta.dtype, eta.data);
    store(asgd_next_mu(options, step), mu.dtype, mu.data);
  }
  tensors.run(step_table().asgd, settings);
}

}  // namespace

DYAD_CPU_KERNEL(adagrad_step, run_adagrad);
DYAD_CPU_KERNEL(rmsprop_step, run_rmsprop);
DYAD_CPU_KERNEL(adadelta_step, run_adadelta);
DYAD_CPU_KERNEL(ftrl_step, run_ftrl);
DYAD_CPU_KERNEL(proximal_adagrad_step, run_proximal_adagrad);
DYAD_CPU_KERNEL(rprop_step, run_rprop);
DYAD_CPU_KERNEL(asgd_step, run_asgd);

}  // namespace dyad::kernels
