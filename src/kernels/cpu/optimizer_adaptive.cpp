#include <algorithm>
#include <cmath>

#include "kernels/cpu/optimizer_step.h"
#include "kernels/scalar/optimizer_settings.h"

namespace dyad::kernels {

namespace {

void run_adagrad(const KernelCall& call) {
  StepTensors tensors(call, {0, 1, 2});
  std::vector<AdagradSettings> settings(tensors.count());
  const double steps = call.has(8) ? number_in(call.in(8)) : 0;
  for (size_t i = 0; i < settings.size(); ++i) {
    settings[i] = {.rate = setting_of(call, 3, i) / (1 + steps * call.real(9)),
                   .scale = call.real(6),
                   .decay = setting_of(call, 4, i),
                   .intake = call.flag(7) ? 1.0 : 0.0,
                   .epsilon = call.real(5)};
  }
  tensors.run(step_table().adagrad, settings);
}

void run_rmsprop(const KernelCall& call) {
  const bool centered = !call.values(4).empty();
  StepTensors tensors = centered ? StepTensors(call, {0, 1, 2, 3, 4}) : StepTensors(call, {0, 1, 2, 3});
  std::vector<RmspropSettings> settings(tensors.count());
  const bool rooted = call.flag(11);
  for (size_t i = 0; i < settings.size(); ++i) {
    const double rate = setting_of(call, 5, i);
    settings[i] = {.gradient_rate = rooted ? 1 : rate,
                   .velocity_rate = rooted ? rate : 1,
                   .scale = call.real(10),
                   .decay = setting_of(call, 6, i),
                   .intake = 1 - call.real(7),
                   .momentum = call.real(8),
                   .inner_epsilon = rooted ? 0 : call.real(9),
                   .epsilon = rooted ? call.real(9) : 0};
  }
  tensors.run(centered ? step_table().rmsprop_centered : step_table().rmsprop, settings);
}

void run_adadelta(const KernelCall& call) {
  StepTensors tensors(call, {0, 1, 2, 3});
  std::vector<AdadeltaSettings> settings(tensors.count());
  for (size_t i = 0; i < settings.size(); ++i) {
    settings[i] = {.rate = setting_of(call, 4, i),
                   .scale = call.real(8),
                   .decay = setting_of(call, 5, i),
                   .rho = call.real(6),
                   .intake = 1 - call.real(6),
                   .epsilon = call.real(7)};
  }
  tensors.run(step_table().adadelta, settings);
}

void run_ftrl(const KernelCall& call) {
  StepTensors tensors(call, {0, 1, 2, 3});
  std::vector<FtrlSettings> settings(tensors.count());
  const double power = -call.real(8);
  for (size_t i = 0; i < settings.size(); ++i) {
    settings[i] = {.rate = setting_of(call, 4, i),
                   .scale = call.real(9),
                   .decay = setting_of(call, 5, i),
                   .l1 = call.real(6),
                   .l2 = call.real(7),
                   .power = power,
                   .power_of_zero = power == 0 ? 1.0 : 0.0};
  }
  tensors.run(power == 0.5 ? step_table().ftrl_root : step_table().ftrl, settings);
}

void run_proximal_adagrad(const KernelCall& call) {
  StepTensors tensors(call, {0, 1, 2});
  std::vector<ProximalSettings> settings(tensors.count());
  for (size_t i = 0; i < settings.size(); ++i) {
    settings[i] = {.rate = setting_of(call, 3, i),
                   .scale = call.real(7),
                   .decay = setting_of(call, 4, i),
                   .l1 = call.real(5),
                   .l2 = call.real(6)};
  }
  tensors.run(step_table().proximal_adagrad, settings);
}

void run_rprop(const KernelCall& call) {
  StepTensors tensors(call, {0, 1, 2, 3});
  std::vector<RpropSettings> settings(tensors.count());
  const bool first = number_in(call.in(4)) == 0;
  for (size_t i = 0; i < settings.size(); ++i) {
    settings[i] = {.carry = first ? 0.0 : 1.0,
                   .fresh = first ? setting_of(call, 5, i) : 0,
                   .scale = call.real(9),
                   .decay = setting_of(call, 6, i),
                   .shrink = call.floats(7)[0],
                   .grow = call.floats(7)[1],
                   .smallest = call.floats(8)[0],
                   .largest = call.floats(8)[1]};
  }
  tensors.run(step_table().rprop, settings);
}

void run_asgd(const KernelCall& call) {
  StepTensors tensors(call, {0, 1, 2});
  std::vector<AsgdSettings> settings(tensors.count());
  const double steps = number_in(call.in(5)) + 1;
  for (size_t i = 0; i < settings.size(); ++i) {
    ValueImpl& eta = *call.values(3)[i];
    ValueImpl& mu = *call.values(4)[i];
    const double rate = setting_of(call, 6, i);
    const double lambd = call.real(8);
    const double now = steps == 1 ? rate : number_in(eta);
    const double share = number_in(mu);
    settings[i] = {.rate = now,
                   .scale = call.real(11),
                   .decay = setting_of(call, 7, i),
                   .keep = 1 - lambd * now,
                   .average_keep = 1 - share,
                   .average_intake = share};
    store(rate / std::pow(1 + lambd * rate * steps, call.real(9)), eta.dtype, eta.data);
    store(1 / std::max(1.0, steps - call.real(10)), mu.dtype, mu.data);
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
