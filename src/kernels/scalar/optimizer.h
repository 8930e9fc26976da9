#pragma once

// The steps of optimisers that move each element by itself. A step is a struct with the settings of one
// tensor, the same for all of its elements, and `apply`, which changes one element of the parameter and of
// its state. What depends only on settings (bias correction, say) is folded into them beforehand in double.
//
// `scale` multiplies every gradient: the reciprocal of the loss scale, negative where the objective is
// maximised. `decay` is the weight decay that joins the gradient.

#include <cmath>

#include "kernels/scalar/optimizer_settings.h"

#ifndef DYAD_ISA
#define DYAD_ISA portable
#endif

namespace dyad::kernels::DYAD_ISA {

template <class T>
static inline T decayed(T gradient, T parameter, double scale, double decay) {
  return gradient * T(scale) + parameter * T(decay);
}

/// v = momentum * v + g; p -= velocity_rate * v + gradient_rate * g.
struct MomentumStep {
  using Settings = MomentumSettings;
  template <class T>
  static inline void apply(const Settings& s, T& parameter, T gradient, T& velocity) {
    const T g = decayed(gradient, parameter, s.scale, s.decay);
    velocity = T(s.momentum) * velocity + g;
    parameter -= T(s.velocity_rate) * velocity + T(s.gradient_rate) * g;
  }
};

/// Gradient descent without state.
struct DescentStep {
  using Settings = DescentSettings;
  template <class T>
  static inline void apply(const Settings& s, T& parameter, T gradient) {
    parameter -= T(s.rate) * decayed(gradient, parameter, s.scale, s.decay);
  }
};

/// Gradient descent with momentum. `fresh` is 1 until the first step has set the velocity to the gradient.
struct SgdStep {
  using Settings = SgdSettings;
  template <class T>
  static inline void apply(const Settings& s, T& parameter, T gradient, T& velocity, T& fresh) {
    const T g = decayed(gradient, parameter, s.scale, s.decay);
    const T carried = T(s.momentum) * velocity + T(s.intake) * g;
    velocity = fresh > T(0) ? g : carried;
    fresh = T(0);
    parameter -= T(s.velocity_rate) * velocity + T(s.gradient_rate) * g;
  }
};

/// The whole Adam family: both moments are running means; the settings say how they and the gradient move the
/// parameter. Decoupled weight decay multiplies the parameter by `keep`.
struct AdamStep {
  using Settings = AdamSettings;
  template <class T>
  static inline void apply(const Settings& s, T& parameter, T gradient, T& moment1, T& moment2) {
    const T g = decayed(gradient, parameter, s.scale, s.decay);
    moment1 += (g - moment1) * T(s.intake1);
    moment2 += (g * g - moment2) * T(s.intake2);
    move(s, parameter, g, moment1, moment2);
  }
  template <class T>
  static inline void move(const Settings& s, T& parameter, T g, T moment1, T square) {
    const T toward = T(s.moment_rate) * moment1 + T(s.gradient_rate) * g;
    parameter = parameter * T(s.keep) - toward / (std::sqrt(square) * T(s.root_scale) + T(s.epsilon));
  }
};

/// Adam whose denominator never shrinks: the largest second moment so far.
struct AdamAmsgradStep {
  using Settings = AdamSettings;
  template <class T>
  static inline void apply(const Settings& s, T& parameter, T gradient, T& moment1, T& moment2, T& largest) {
    const T g = decayed(gradient, parameter, s.scale, s.decay);
    moment1 += (g - moment1) * T(s.intake1);
    moment2 += (g * g - moment2) * T(s.intake2);
    largest = largest < moment2 ? moment2 : largest;
    AdamStep::move(s, parameter, g, moment1, largest);
  }
};

}  // namespace dyad::kernels::DYAD_ISA
