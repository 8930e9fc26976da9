#pragma once

// How the settings of a step of further optimisers follow from their options, as in `optimizer_options.h`.

#include <cmath>

#include "kernels/scalar/optimizer_options.h"

namespace dyad::kernels {

/// Of Adagrad.
struct AdagradOptions {
  double epsilon;
  double scale;
  double rate_decay;  ///< what the rate is divided by grows by this with each step
  bool accumulates;
};

/// After so many steps.
inline AdagradSettings adagrad_settings(const AdagradOptions& o, double rate, double decay, double steps) {
  return {.rate = rate / (1 + steps * o.rate_decay),
          .scale = o.scale,
          .decay = decay,
          .intake = o.accumulates ? 1.0 : 0.0,
          .epsilon = o.epsilon};
}

/// Of RMSProp.
struct RmspropOptions {
  double mean_decay;
  double momentum;
  double epsilon;
  double scale;
  bool rooted;  ///< epsilon is added to the root, and the rate multiplies the velocity
};

inline RmspropSettings rmsprop_settings(const RmspropOptions& o, double rate, double decay) {
  return {.gradient_rate = o.rooted ? 1 : rate,
          .velocity_rate = o.rooted ? rate : 1,
          .scale = o.scale,
          .decay = decay,
          .intake = 1 - o.mean_decay,
          .momentum = o.momentum,
          .inner_epsilon = o.rooted ? 0 : o.epsilon,
          .epsilon = o.rooted ? o.epsilon : 0};
}

/// Of Adadelta.
struct AdadeltaOptions {
  double rho;
  double epsilon;
  double scale;
};

inline AdadeltaSettings adadelta_settings(const AdadeltaOptions& o, double rate, double decay) {
  return {.rate = rate,
          .scale = o.scale,
          .decay = decay,
          .rho = o.rho,
          .intake = 1 - o.rho,
          .epsilon = o.epsilon};
}

/// Of FTRL and of the proximal Adagrad, which has no power.
struct RegularizedOptions {
  double l1;
  double l2;
  double power;  ///< minus that of the learning rate
  double scale;
};

inline FtrlSettings ftrl_settings(const RegularizedOptions& o, double rate, double decay) {
  return {.rate = rate,
          .scale = o.scale,
          .decay = decay,
          .l1 = o.l1,
          .l2 = o.l2,
          .power = o.power,
          .power_of_zero = o.power == 0 ? 1.0 : 0.0};
}

inline ProximalSettings proximal_settings(const RegularizedOptions& o, double rate, double decay) {
  return {.rate = rate, .scale = o.scale, .decay = decay, .l1 = o.l1, .l2 = o.l2};
}

/// Of Rprop.
struct RpropOptions {
  double shrink;
  double grow;
  double smallest;
  double largest;
  double scale;
};

/// After so many steps.
inline RpropSettings rprop_settings(const RpropOptions& o, double rate, double decay, double steps) {
  const bool first = steps == 0;
  return {.carry = first ? 0.0 : 1.0,
          .fresh = first ? rate : 0,
          .scale = o.scale,
          .decay = decay,
          .shrink = o.shrink,
          .grow = o.grow,
          .smallest = o.smallest,
          .largest = o.largest};
}

/// Of ASGD.
struct AsgdOptions {
  double lambd;
  double alpha;
  double start;  ///< the step from which on parameters are averaged
  double scale;
};

/// At step number `step`, which begins with 1; `eta` and `mu` are those that the step before has left.
inline AsgdSettings asgd_settings(const AsgdOptions& o, double rate, double decay, double step, double eta,
                                  double mu) {
  const double now = step == 1 ? rate : eta;
  return {.rate = now,
          .scale = o.scale,
          .decay = decay,
          .keep = 1 - o.lambd * now,
          .average_keep = 1 - mu,
          .average_intake = mu};
}
inline double asgd_next_eta(const AsgdOptions& o, double rate, double step) {
  return rate / std::pow(1 + o.lambd * rate * step, o.alpha);
}
inline double asgd_next_mu(const AsgdOptions& o, double step) {
  return step - o.start > 1 ? 1 / (step - o.start) : 1;
}

/// NAdam's momentum at a step.
inline double nadam_momentum(const AdamOptions& o, double momentum_decay, double step) {
  return o.beta1 * (1 - 0.5 * std::pow(0.96, step * momentum_decay));
}

/// NAdam at step number `step`, with the product of the momenta up to it.
inline AdamSettings nadam_settings(const AdamOptions& o, double momentum_decay, double rate, double decay,
                                   double step, double product) {
  const double momentum = nadam_momentum(o, momentum_decay, step);
  const double next = nadam_momentum(o, momentum_decay, step + 1);
  return {.moment_rate = rate * next / (1 - product * next),
          .gradient_rate = rate * (1 - momentum) / (1 - product),
          .scale = 1,
          .decay = decay,
          .keep = 1,
          .intake1 = 1 - o.beta1,
          .intake2 = 1 - o.beta2,
          .root_scale = 1 / std::sqrt(1 - std::pow(o.beta2, step)),
          .epsilon = o.epsilon};
}

/// RAdam at step number `step`. While too few gradients were seen to know their variance, the mean alone
/// moves the parameter.
inline AdamSettings radam_settings(const AdamOptions& o, double rate, double decay, double step) {
  const double power2 = std::pow(o.beta2, step);
  const double limit = 2 / (1 - o.beta2) - 1;
  const double length = limit - 2 * step * power2 / (1 - power2);
  const bool known = length > 5;
  const double rectified =
      known ? std::sqrt((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)) *
                  std::sqrt(1 - power2)
            : 1;
  return {.moment_rate = rate / (1 - std::pow(o.beta1, step)) * rectified,
          .gradient_rate = 0,
          .scale = 1,
          .decay = decay,
          .keep = 1,
          .intake1 = 1 - o.beta1,
          .intake2 = 1 - o.beta2,
          .root_scale = known ? 1.0 : 0.0,
          .epsilon = known ? o.epsilon : 1};
}

/// Adamax with the power of its first beta up to this step.
inline AdamaxSettings adamax_settings(const AdamOptions& o, double rate, double decay, double power) {
  return {.rate = rate / (1 - power),
          .scale = o.scale,
          .decay = decay,
          .intake1 = 1 - o.beta1,
          .beta2 = o.beta2,
          .inner_epsilon = 0,
          .epsilon = o.epsilon};
}

/// Adamax at step number `step`, with epsilon beside the gradient's magnitude.
inline AdamaxSettings adamax_counted_settings(const AdamOptions& o, double rate, double decay, double step) {
  return {.rate = rate / (1 - std::pow(o.beta1, step)),
          .scale = o.scale,
          .decay = decay,
          .intake1 = 1 - o.beta1,
          .beta2 = o.beta2,
          .inner_epsilon = o.epsilon,
          .epsilon = 0};
}

/// Lamb at step number `step`, before its trust in the direction is known.
inline LambSettings lamb_settings(const AdamOptions& o, double rate, double decay, double step) {
  return {.rate = rate,
          .decay = decay,
          .intake1 = 1 - o.beta1,
          .intake2 = 1 - o.beta2,
          .correction1 = 1 / (1 - std::pow(o.beta1, step)),
          .correction2 = 1 / (1 - std::pow(o.beta2, step)),
          .epsilon = o.epsilon};
}

/// How far Lamb trusts a direction, from the sums of squares of the parameter and of the direction.
inline double lamb_trust(double parameter, double direction) {
  return parameter > 0 && direction > 0 ? std::sqrt(parameter / direction) : 1;
}

/// Of LARS.
struct LarsOptions {
  double epsilon;
  double coefficient;
  double scale;
  bool clips;  ///< the factor over the learning rate is at most 1
};

/// A gradient becomes gradient * of_gradient + weight * of_weight.
struct LarsFactors {
  double of_gradient;
  double of_weight;
};

/// From the sums of squares of a layer's weights and of its gradient.
inline LarsFactors lars_factors(const LarsOptions& o, double rate, double decay, double weights,
                                double gradients) {
  const double weight_norm = std::sqrt(weights);
  const double gradient_norm = std::sqrt(gradients) * std::fabs(o.scale);
  double trust = 1;
  if (weight_norm > 0 && gradient_norm > 0)
    trust = o.coefficient * weight_norm / (gradient_norm + decay * weight_norm + o.epsilon);
  if (o.clips) trust = trust / rate > 1 ? 1 : trust / rate;
  return {o.scale * trust, decay * trust};
}

}  // namespace dyad::kernels
