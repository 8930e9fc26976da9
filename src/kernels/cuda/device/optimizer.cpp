// Steps of optimisers over many parameters in one launch. What depends on settings alone is worked out by
// each block, from numbers that stay on the device: the host waits for none of them.

#include "kernels/cuda/device/optimizer_step.h"

#include "kernels/cuda/device/faults.h"
#include "kernels/scalar/optimizer.h"

namespace dyad::cuda::device {

using kernels::cuda::AdamAmsgradStep;
using kernels::cuda::AdamStep;
using kernels::cuda::DescentStep;
using kernels::cuda::MomentumStep;
using kernels::cuda::SgdStep;

struct Momentum {
  using Step = MomentumStep;
  static constexpr int kStreams = 3;
  DYAD_DEVICE_INLINE static auto settings(const StepParams& p, const StepTensor& t) {
    return kernels::momentum_settings(p.descent, read(t.rate), read(t.decay), read(p.first));
  }
};
/// Without momentum the states stay as they are.
struct SgdOrDescent {
  using Settings = kernels::SgdSettings;
  template <class T>
  DYAD_DEVICE_INLINE static void apply(const Settings& s, T& parameter, T gradient, T& velocity, T& fresh) {
    if (s.momentum != 0) return SgdStep::apply(s, parameter, gradient, velocity, fresh);
    DescentStep::apply({s.velocity_rate + s.gradient_rate, s.scale, s.decay}, parameter, gradient);
  }
};
struct Sgd {
  using Step = SgdOrDescent;
  static constexpr int kStreams = 4;
  DYAD_DEVICE_INLINE static auto settings(const StepParams& p, const StepTensor& t) {
    return kernels::sgd_settings(p.descent, read(t.rate), read(t.decay), read(p.first));
  }
};
template <class Moves, int streams>
struct AdamOf {
  using Step = Moves;
  static constexpr int kStreams = streams;
  DYAD_DEVICE_INLINE static auto settings(const StepParams& p, const StepTensor& t) {
    return kernels::adam_settings(p.adam, read(t.rate), read(t.decay), read(p.first), read(p.second));
  }
};
struct AdamWeightDecay {
  using Step = AdamStep;
  static constexpr int kStreams = 4;
  DYAD_DEVICE_INLINE static auto settings(const StepParams& p, const StepTensor& t) {
    return kernels::adam_weight_decay_settings(p.adam, read(t.rate), read(t.decay));
  }
};
template <class Moves, int streams>
struct AdamWOf {
  using Step = Moves;
  static constexpr int kStreams = streams;
  DYAD_DEVICE_INLINE static auto settings(const StepParams& p, const StepTensor& t) {
    return kernels::adamw_settings(p.adam, read(t.rate), read(t.decay), read(p.first) + 1);
  }
};

template <class S>
DYAD_DEVICE_INLINE void momentum(const StepParams& p) {
  take_step<Momentum, S>(p);
}
template <class S>
DYAD_DEVICE_INLINE void sgd(const StepParams& p) {
  take_step<Sgd, S>(p);
}
template <class S>
DYAD_DEVICE_INLINE void adam(const StepParams& p) {
  take_step<AdamOf<AdamStep, 4>, S>(p);
}
template <class S>
DYAD_DEVICE_INLINE void adam_amsgrad(const StepParams& p) {
  take_step<AdamOf<AdamAmsgradStep, 5>, S>(p);
}
template <class S>
DYAD_DEVICE_INLINE void adam_weight_decay(const StepParams& p) {
  take_step<AdamWeightDecay, S>(p);
}
template <class S>
DYAD_DEVICE_INLINE void adamw(const StepParams& p) {
  take_step<AdamWOf<AdamStep, 4>, S>(p);
}
template <class S>
DYAD_DEVICE_INLINE void adamw_amsgrad(const StepParams& p) {
  take_step<AdamWOf<AdamAmsgradStep, 5>, S>(p);
}

DYAD_FLOAT_KERNELS(step_momentum, StepParams, momentum)
DYAD_FLOAT_KERNELS(step_sgd, StepParams, sgd)
DYAD_FLOAT_KERNELS(step_adam, StepParams, adam)
DYAD_FLOAT_KERNELS(step_adam_amsgrad, StepParams, adam_amsgrad)
DYAD_FLOAT_KERNELS(step_adam_weight_decay, StepParams, adam_weight_decay)
DYAD_FLOAT_KERNELS(step_adamw, StepParams, adamw)
DYAD_FLOAT_KERNELS(step_adamw_amsgrad, StepParams, adamw_amsgrad)

template <class S>
DYAD_DEVICE_INLINE void rate_of_step(const RateOfStepParams& p) {
  DYAD_FOR_EACH(i, p.count) {
    const int64_t step =
        p.wide ? static_cast<const int64_t*>(p.steps)[i] : static_cast<const int32_t*>(p.steps)[i];
    const bool listed = step >= -p.length && p.length > 0;
    if (!listed) report(p.fault, p.ticket, FaultKind::kStepRange, step, p.length);
    const int64_t at = step < 0 ? step + p.length : step < p.length ? step : p.length - 1;
    static_cast<S*>(p.out)[i] = listed ? static_cast<const S*>(p.rates)[at] : S{};
  }
}
DYAD_FLOAT_KERNELS(rate_of_step, RateOfStepParams, rate_of_step)

DYAD_DEVICE_KERNEL(multiply_powers, PowerParams) {
  const int i = static_cast<int>(thread_x());
  if (i >= p.count) return;
  const double power = read({p.powers[i], p.dtypes[i]}) * p.betas[i];
  if (static_cast<DType>(p.dtypes[i]) == DType::kFloat64) {
    *static_cast<double*>(p.powers[i]) = power;
  } else {
    *static_cast<float*>(p.powers[i]) = static_cast<float>(power);
  }
}

}  // namespace dyad::cuda::device
