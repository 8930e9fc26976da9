#pragma once

// How the settings of a step follow from an optimiser's options, the rate and the decay of a parameter, and
// the number of the step: read by the kernels of every device.

#include <cmath>

#include "kernels/scalar/optimizer_settings.h"

namespace dyad::kernels {

/// Of gradient descent with and without momentum.
struct DescentOptions {
  double scale;
  double intake;  ///< share of the gradient that enters the velocity: 1 - dampening
  bool nesterov;
};

inline MomentumSettings momentum_settings(const DescentOptions& o, double rate, double decay,
                                          double momentum) {
  return {.velocity_rate = o.nesterov ? rate * momentum : rate,
          .gradient_rate = o.nesterov ? rate : 0,
          .scale = o.scale,
          .decay = decay,
          .momentum = momentum};
}

inline SgdSettings sgd_settings(const DescentOptions& o, double rate, double decay, double momentum) {
  return {.velocity_rate = o.nesterov ? rate * momentum : rate,
          .gradient_rate = o.nesterov ? rate : 0,
          .scale = o.scale,
          .decay = decay,
          .momentum = momentum,
          .intake = o.intake};
}

/// Of Adam and its kin.
struct AdamOptions {
  double beta1;
  double beta2;
  double epsilon;
  double scale;
  bool nesterov;
  bool decoupled;  ///< the decay shrinks the parameter and stays out of the gradient
};

/// Adam with the powers of its betas up to this step.
inline AdamSettings adam_settings(const AdamOptions& o, double rate, double decay, double power1,
                                  double power2) {
  const double corrected = rate * (std::sqrt(1 - power2) / (1 - power1));
  return {.moment_rate = o.nesterov ? corrected * o.beta1 : corrected,
          .gradient_rate = o.nesterov ? corrected * (1 - o.beta1) : 0,
          .scale = o.scale,
          .decay = decay,
          .keep = 1,
          .intake1 = 1 - o.beta1,
          .intake2 = 1 - o.beta2,
          .root_scale = 1,
          .epsilon = o.epsilon};
}

/// Adam without corrections, whose decay shrinks the parameter.
inline AdamSettings adam_weight_decay_settings(const AdamOptions& o, double rate, double decay) {
  return {.moment_rate = rate,
          .gradient_rate = 0,
          .scale = 1,
          .decay = 0,
          .keep = 1 - rate * decay,
          .intake1 = 1 - o.beta1,
          .intake2 = 1 - o.beta2,
          .root_scale = 1,
          .epsilon = o.epsilon};
}

/// AdamW at step number `step`, which begins with 1.
inline AdamSettings adamw_settings(const AdamOptions& o, double rate, double decay, double step) {
  return {.moment_rate = rate / (1 - std::pow(o.beta1, step)),
          .gradient_rate = 0,
          .scale = o.scale,
          .decay = o.decoupled ? 0 : decay,
          .keep = o.decoupled ? 1 - rate * decay : 1,
          .intake1 = 1 - o.beta1,
          .intake2 = 1 - o.beta2,
          .root_scale = 1 / std::sqrt(1 - std::pow(o.beta2, step)),
          .epsilon = o.epsilon};
}

}  // namespace dyad::kernels
