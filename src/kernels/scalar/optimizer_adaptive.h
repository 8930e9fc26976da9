#pragma once

// Steps of optimisers that give each element a rate of its own, written as in `optimizer.h`.

#include <cmath>

#include "kernels/scalar/math.h"
#include "kernels/scalar/optimizer.h"

namespace dyad::kernels::DYAD_ISA {

template <class T>
static inline T sign_of(T x) {
  return static_cast<T>(static_cast<int>(x > T(0)) - static_cast<int>(x < T(0)));
}

static inline float power_of_positive(float x, float y) { return math::power_of_size(x, y); }
static inline double power_of_positive(double x, double y) { return math::pow(x, y); }

/// Adam over the largest gradient so far, which fades by beta2.
struct AdamaxStep {
  using Settings = AdamaxSettings;
  template <class T>
  static inline void apply(const Settings& s, T& parameter, T gradient, T& moment, T& largest) {
    const T g = decayed(gradient, parameter, s.scale, s.decay);
    moment += (g - moment) * T(s.intake1);
    const T faded = largest * T(s.beta2);
    const T current = std::abs(g) + T(s.inner_epsilon);
    largest = faded < current ? current : faded;
    parameter -= T(s.rate) * moment / (largest + T(s.epsilon));
  }
};

/// p -= rate * g / sqrt(sum of g * g).
struct AdagradStep {
  using Settings = AdagradSettings;
  template <class T>
  static inline void apply(const Settings& s, T& parameter, T gradient, T& squares) {
    const T g = decayed(gradient, parameter, s.scale, s.decay);
    squares += T(s.intake) * g * g;
    parameter -= T(s.rate) * g / (std::sqrt(squares) + T(s.epsilon));
  }
};

/// Divides the gradient by the root of the running mean of its squares.
struct RmspropStep {
  using Settings = RmspropSettings;
  template <class T>
  static inline void apply(const Settings& s, T& parameter, T gradient, T& square, T& velocity) {
    const T g = decayed(gradient, parameter, s.scale, s.decay);
    square += (g * g - square) * T(s.intake);
    move(s, parameter, g, square, velocity);
  }
  template <class T>
  static inline void move(const Settings& s, T& parameter, T g, T spread, T& velocity) {
    const T root = std::sqrt(spread + T(s.inner_epsilon)) + T(s.epsilon);
    velocity = T(s.momentum) * velocity + T(s.gradient_rate) * g / root;
    parameter -= T(s.velocity_rate) * velocity;
  }
};

/// RMSProp over the variance of the gradient in place of its square.
struct RmspropCenteredStep {
  using Settings = RmspropSettings;
  template <class T>
  static inline void apply(const Settings& s, T& parameter, T gradient, T& square, T& velocity, T& mean) {
    const T g = decayed(gradient, parameter, s.scale, s.decay);
    square += (g * g - square) * T(s.intake);
    mean += (g - mean) * T(s.intake);
    const T variance = square - mean * mean;
    RmspropStep::move(s, parameter, g, variance < T(0) ? T(0) : variance, velocity);
  }
};

/// Moves by the gradient times the root mean square of past updates over that of past gradients.
struct AdadeltaStep {
  using Settings = AdadeltaSettings;
  template <class T>
  static inline void apply(const Settings& s, T& parameter, T gradient, T& squares, T& updates) {
    const T g = decayed(gradient, parameter, s.scale, s.decay);
    squares = T(s.rho) * squares + T(s.intake) * g * g;
    const T update = std::sqrt(updates + T(s.epsilon)) / std::sqrt(squares + T(s.epsilon)) * g;
    updates = T(s.rho) * updates + T(s.intake) * update * update;
    parameter -= T(s.rate) * update;
  }
};

/// Follows the regularised leader. `power` is minus the learning-rate power; one half has a cheaper root.
template <bool half>
struct FtrlStep {
  using Settings = FtrlSettings;
  template <class T>
  static inline void apply(const Settings& s, T& parameter, T gradient, T& squares, T& linear) {
    const T g = decayed(gradient, parameter, s.scale, s.decay);
    const T before = raised(s, squares);
    squares += g * g;
    const T after = raised(s, squares);
    linear += g - (after - before) / T(s.rate) * parameter;
    const T curvature = after / T(s.rate) + T(2) * T(s.l2);
    const T pulled = (sign_of(linear) * T(s.l1) - linear) / curvature;
    parameter = std::abs(linear) > T(s.l1) ? pulled : T(0);
  }
  template <class T>
  static inline T raised(const Settings& s, T squares) {
    if constexpr (half) {
      return std::sqrt(squares);
    } else {
      return squares > T(0) ? power_of_positive(squares, T(s.power)) : T(s.power_of_zero);
    }
  }
};

/// Adagrad, and then every element is drawn towards zero, by l1 and in proportion by l2.
struct ProximalAdagradStep {
  using Settings = ProximalSettings;
  template <class T>
  static inline void apply(const Settings& s, T& parameter, T gradient, T& squares) {
    const T g = decayed(gradient, parameter, s.scale, s.decay);
    squares += g * g;
    const T rate = T(s.rate) / std::sqrt(squares);
    const T moved = parameter - rate * g;
    const T shrunk = std::abs(moved) - rate * T(s.l1);
    const T kept = shrunk < T(0) ? T(0) : shrunk;
    parameter = sign_of(moved) * kept / (T(1) + rate * T(s.l2));
  }
};

/// Steps whose size depends on the signs of this gradient and the one before, not on its magnitude.
struct RpropStep {
  using Settings = RpropSettings;
  template <class T>
  static inline void apply(const Settings& s, T& parameter, T gradient, T& previous, T& size) {
    const T g = decayed(gradient, parameter, s.scale, s.decay);
    const T agreement = g * previous;
    const T factor = agreement > T(0) ? T(s.grow) : agreement < T(0) ? T(s.shrink) : T(1);
    const T wanted = (size * T(s.carry) + T(s.fresh)) * factor;
    const T enough = wanted < T(s.smallest) ? T(s.smallest) : wanted;
    size = enough > T(s.largest) ? T(s.largest) : enough;
    previous = agreement < T(0) ? T(0) : g;
    parameter -= sign_of(previous) * size;
  }
};

/// Adam's direction, taken as far as the norm of the parameter allows: first the moments of all elements are
/// brought up to date and the norms taken, then the elements move.
struct LambStep {
  using Settings = LambSettings;
  template <class T>
  static inline void observe(const Settings& s, T gradient, T& moment1, T& moment2) {
    moment1 += (gradient - moment1) * T(s.intake1);
    moment2 += (gradient * gradient - moment2) * T(s.intake2);
  }
  template <class T>
  static inline T direction(const Settings& s, T parameter, T moment1, T moment2) {
    const T root = std::sqrt(moment2 * T(s.correction2)) + T(s.epsilon);
    return moment1 * T(s.correction1) / root + T(s.decay) * parameter;
  }
  template <class T>
  static inline void apply(const Settings& s, T& parameter, T, T& moment1, T& moment2) {
    parameter -= T(s.rate) * direction(s, parameter, moment1, moment2);
  }
};

/// Gradient descent, and the average of the parameters beside it.
struct AsgdStep {
  using Settings = AsgdSettings;
  template <class T>
  static inline void apply(const Settings& s, T& parameter, T gradient, T& average) {
    const T g = decayed(gradient, parameter, s.scale, s.decay);
    parameter = parameter * T(s.keep) - T(s.rate) * g;
    average = average * T(s.average_keep) + parameter * T(s.average_intake);
  }
};

}  // namespace dyad::kernels::DYAD_ISA
