// Steps of further optimisers: those with a rate for each element, and those that scale whole parameters by
// their norms, which are summed block by block first.

#include "kernels/cuda/device/optimizer_step.h"

#include "kernels/cuda/device/block_reduce.h"
#include "kernels/scalar/optimizer_adaptive.h"

namespace dyad::cuda::device {

using kernels::cuda::AdadeltaStep;
using kernels::cuda::AdagradStep;
using kernels::cuda::AdamaxStep;
using kernels::cuda::AdamStep;
using kernels::cuda::AsgdStep;
using kernels::cuda::FtrlStep;
using kernels::cuda::LambStep;
using kernels::cuda::ProximalAdagradStep;
using kernels::cuda::RmspropCenteredStep;
using kernels::cuda::RmspropStep;
using kernels::cuda::RpropStep;

/// An optimiser whose settings follow from `options`, the rate and the decay of a parameter, and further
/// numbers.
#define DYAD_OPTIMIZER(name, Moves, streams, settings_of)                               \
  struct name##_optimizer {                                                             \
    using Step = Moves;                                                                 \
    static constexpr int kStreams = streams;                                            \
    DYAD_DEVICE_INLINE static auto settings(const StepParams& p, const StepTensor& t) { \
      const double rate = read(t.rate);                                                 \
      const double decay = read(t.decay);                                               \
      return settings_of;                                                               \
    }                                                                                   \
  };                                                                                    \
  template <class S>                                                                    \
  DYAD_DEVICE_INLINE void name(const StepParams& p) {                                   \
    take_step<name##_optimizer, S>(p);                                                  \
  }                                                                                     \
  DYAD_FLOAT_KERNELS(step_##name, StepParams, name)

DYAD_OPTIMIZER(adagrad, AdagradStep, 3, kernels::adagrad_settings(p.adagrad, rate, decay, read(p.first)))
DYAD_OPTIMIZER(rmsprop, RmspropStep, 4, kernels::rmsprop_settings(p.rmsprop, rate, decay))
DYAD_OPTIMIZER(rmsprop_centered, RmspropCenteredStep, 5, kernels::rmsprop_settings(p.rmsprop, rate, decay))
DYAD_OPTIMIZER(adadelta, AdadeltaStep, 4, kernels::adadelta_settings(p.adadelta, rate, decay))
DYAD_OPTIMIZER(ftrl, FtrlStep<false>, 4, kernels::ftrl_settings(p.regularized, rate, decay))
DYAD_OPTIMIZER(ftrl_root, FtrlStep<true>, 4, kernels::ftrl_settings(p.regularized, rate, decay))
DYAD_OPTIMIZER(proximal_adagrad, ProximalAdagradStep, 3,
               kernels::proximal_settings(p.regularized, rate, decay))
DYAD_OPTIMIZER(rprop, RpropStep, 4, kernels::rprop_settings(p.rprop, rate, decay, read(p.first)))
DYAD_OPTIMIZER(asgd, AsgdStep, 3,
               kernels::asgd_settings(p.asgd, rate, decay, read(p.first) + 1, read(t.held[0]),
                                      read(t.held[1])))
DYAD_OPTIMIZER(nadam, AdamStep, 4,
               kernels::nadam_settings(p.adam, p.momentum_decay, rate, decay, read(p.first) + 1,
                                       read(t.held[0])))
DYAD_OPTIMIZER(radam, AdamStep, 4, kernels::radam_settings(p.adam, rate, decay, read(p.first) + 1))
DYAD_OPTIMIZER(adamax, AdamaxStep, 4, kernels::adamax_settings(p.adam, rate, decay, read(p.first)))
DYAD_OPTIMIZER(adamax_counted, AdamaxStep, 4,
               kernels::adamax_counted_settings(p.adam, rate, decay, read(p.first) + 1))

DYAD_DEVICE_INLINE kernels::LambSettings lamb_settings(const StepParams& p, const StepTensor& t) {
  return kernels::lamb_settings(p.adam, read(t.rate), read(t.decay), read(p.first) + 1);
}
/// The sums are taken of moments that are not stored yet, since rounding may take small ones to zero.
struct WholeLambStep {
  using Settings = kernels::LambSettings;
  template <class T>
  DYAD_DEVICE_INLINE static void apply(const Settings& s, T& parameter, T gradient, T& moment1, T& moment2) {
    LambStep::observe(s, gradient, moment1, moment2);
    LambStep::apply(s, parameter, gradient, moment1, moment2);
  }
};
DYAD_OPTIMIZER(lamb, WholeLambStep, 4, ([&] {
                 kernels::LambSettings found = lamb_settings(p, t);
                 const double* squares = p.totals + 2 * (&t - p.tensors);
                 found.rate *= kernels::lamb_trust(squares[0], squares[1]);
                 return found;
               }()))
#undef DYAD_OPTIMIZER

/// Leaves two sums over the elements of a block, of what `visit(i, sums)` adds to them.
template <class Visit>
DYAD_DEVICE_INLINE void sum_block(const StepParams& p, int number, Visit visit) {
  DYAD_SHARED(double, places, kMostWarps);
  double sums[2] = {0, 0};
  for_each_element(p, number, [&](int64_t i) { visit(i, sums); });
  for (int k = 0; k < 2; ++k) {
    const double total = reduce_block(sums[k], Sum(), places);
    if (thread_x() == 0) p.sums[2 * block_x() + k] = total;
  }
}

/// Sums the squares of parameters and of the directions that Lamb takes.
template <class S>
DYAD_DEVICE_INLINE void observe_lamb(const StepParams& p) {
  using T = Computed<S>;
  const int number = tensor_of_block(p);
  const StepTensor& t = p.tensors[number];
  DYAD_SHARED(kernels::LambSettings, shared, 1);
  if (thread_x() == 0) shared[0] = lamb_settings(p, t);
  sync_threads();
  const kernels::LambSettings settings = shared[0];
  sum_block(p, number, [&](int64_t i, double* sums) {
    const T parameter = static_cast<T>(static_cast<const S*>(t.at[0])[i]);
    T moment1 = static_cast<T>(static_cast<const S*>(t.at[2])[i]);
    T moment2 = static_cast<T>(static_cast<const S*>(t.at[3])[i]);
    LambStep::observe(settings, static_cast<T>(static_cast<const S*>(t.at[1])[i]), moment1, moment2);
    const double direction = LambStep::direction(settings, parameter, moment1, moment2);
    sums[0] += static_cast<double>(parameter) * parameter;
    sums[1] += direction * direction;
  });
}

/// The squares of weights and of gradients; the gradient that is given out is the third array.
template <class S>
DYAD_DEVICE_INLINE void sum_squares(const StepParams& p) {
  using T = Computed<S>;
  const int number = tensor_of_block(p);
  sum_block(p, number, [&](int64_t i, double* sums) {
    for (int k = 0; k < 2; ++k) {
      const T x = static_cast<T>(static_cast<const S*>(p.tensors[number].at[k])[i]);
      sums[k] += static_cast<double>(x * x);
    }
  });
}

template <class S>
DYAD_DEVICE_INLINE void scale_layer(const StepParams& p) {
  using T = Computed<S>;
  const int number = tensor_of_block(p);
  const StepTensor& t = p.tensors[number];
  kernels::LarsFactors factors{p.lars.scale, 0};
  if (p.chosen >> number & 1) {
    factors = kernels::lars_factors(p.lars, read(t.rate), read(t.decay), p.totals[2 * number],
                                    p.totals[2 * number + 1]);
  }
  for_each_element(p, number, [&](int64_t i) {
    T made = static_cast<T>(static_cast<const S*>(t.at[1])[i]) * static_cast<T>(factors.of_gradient);
    // A weight that is not finite stays out of a gradient that it has no part in.
    if (factors.of_weight != 0)
      made += static_cast<T>(static_cast<const S*>(t.at[0])[i]) * static_cast<T>(factors.of_weight);
    static_cast<S*>(t.at[2])[i] = S(made);
  });
}

DYAD_FLOAT_KERNELS(observe_lamb, StepParams, observe_lamb)
DYAD_FLOAT_KERNELS(sum_squares, StepParams, sum_squares)
DYAD_FLOAT_KERNELS(scale_layer, StepParams, scale_layer)

/// The sums of all blocks of a parameter, by a block for each.
DYAD_DEVICE_KERNEL(total_sums, StepParams) {
  DYAD_SHARED(double, places, kMostWarps);
  const uint32_t number = block_x();
  for (int k = 0; k < 2; ++k) {
    double total = 0;
    for (uint32_t b = p.first_block[number] + thread_x(); b < p.first_block[number + 1]; b += threads_x())
      total += p.sums[2 * b + k];
    total = reduce_block(total, Sum(), places);
    if (thread_x() == 0) p.totals[2 * number + k] = total;
  }
}

DYAD_DEVICE_INLINE void write(const DeviceNumber& number, double value) {
  if (static_cast<DType>(number.dtype) == DType::kFloat64) {
    *static_cast<double*>(const_cast<void*>(number.at)) = value;
  } else {
    *static_cast<float*>(const_cast<void*>(number.at)) = static_cast<float>(value);
  }
}

/// Multiplies the products of NAdam's momenta on, before a step.
DYAD_DEVICE_KERNEL(advance_nadam, StepParams) {
  const int i = static_cast<int>(thread_x());
  if (i >= p.count) return;
  const DeviceNumber& product = p.tensors[i].held[0];
  write(product, read(product) * kernels::nadam_momentum(p.adam, p.momentum_decay, read(p.first) + 1));
}

/// What ASGD's next step begins with.
DYAD_DEVICE_KERNEL(finish_asgd, StepParams) {
  const int i = static_cast<int>(thread_x());
  if (i >= p.count) return;
  const StepTensor& t = p.tensors[i];
  const double step = read(p.first) + 1;
  write(t.held[0], kernels::asgd_next_eta(p.asgd, read(t.rate), step));
  write(t.held[1], kernels::asgd_next_mu(p.asgd, step));
}

}  // namespace dyad::cuda::device
