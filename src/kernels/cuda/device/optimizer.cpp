// Steps of optimisers over many parameters in one launch. What depends on settings alone is worked out by
// each block, from numbers that stay on the device: the host waits for none of them.

#include "kernels/cuda/device/storage.h"

#include "kernels/cuda/params/optimizer.h"
#include "kernels/scalar/optimizer.h"
#include "types/dtype.h"

namespace dyad::cuda::device {

using kernels::cuda::AdamAmsgradStep;
using kernels::cuda::AdamStep;
using kernels::cuda::DescentStep;
using kernels::cuda::MomentumStep;
using kernels::cuda::SgdStep;

DYAD_DEVICE_INLINE double read(const DeviceNumber& number) {
  if (!number.at) return 0;
  switch (static_cast<DType>(number.dtype)) {
    case DType::kFloat32:
      return *static_cast<const float*>(number.at);
    case DType::kFloat64:
      return *static_cast<const double*>(number.at);
    case DType::kFloat16:
      return static_cast<float>(*static_cast<const Half*>(number.at));
    case DType::kBFloat16:
      return static_cast<float>(*static_cast<const BFloat16*>(number.at));
    case DType::kInt32:
      return *static_cast<const int32_t*>(number.at);
    default:
      return static_cast<double>(*static_cast<const int64_t*>(number.at));
  }
}

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

/// The parameter that this block works on.
DYAD_DEVICE_INLINE int tensor_of_block(const StepParams& p) {
  int low = 0;
  int high = p.count - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (p.first_block[middle] <= block_x()) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

template <class Optimizer, class S>
DYAD_DEVICE_INLINE void take_step(const StepParams& p) {
  using T = Computed<S>;
  using Settings = typename Optimizer::Step::Settings;
  DYAD_SHARED(Settings, shared, 1);
  const int number = tensor_of_block(p);
  const StepTensor& t = p.tensors[number];
  if (thread_x() == 0) shared[0] = Optimizer::settings(p, t);
  sync_threads();
  const Settings settings = shared[0];
  const int64_t first = static_cast<int64_t>(block_x() - p.first_block[number]) * kStepElements;
  const int64_t last = first + kStepElements < t.count ? first + kStepElements : t.count;
  for (int64_t i = first + thread_x(); i < last; i += threads_x()) {
    T x[Optimizer::kStreams];
#pragma unroll
    for (int k = 0; k < Optimizer::kStreams; ++k) x[k] = static_cast<T>(static_cast<const S*>(t.at[k])[i]);
    if constexpr (Optimizer::kStreams == 3) {
      Optimizer::Step::apply(settings, x[0], x[1], x[2]);
    } else if constexpr (Optimizer::kStreams == 4) {
      Optimizer::Step::apply(settings, x[0], x[1], x[2], x[3]);
    } else {
      Optimizer::Step::apply(settings, x[0], x[1], x[2], x[3], x[4]);
    }
#pragma unroll
    for (int k = 0; k < Optimizer::kStreams; ++k) {
      if (k != 1) static_cast<S*>(t.at[k])[i] = S(x[k]);
    }
  }
}

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
