#pragma once

namespace dyad::kernels {

struct DescentSettings {
  double rate;
  double scale;
  double decay;
};

struct MomentumSettings {
  double velocity_rate;  ///< how far the velocity moves the parameter
  double gradient_rate;  ///< how far the gradient itself does (Nesterov)
  double scale;
  double decay;
  double momentum;
};

struct SgdSettings {
  double velocity_rate;
  double gradient_rate;
  double scale;
  double decay;
  double momentum;
  double intake;  ///< share of the gradient that enters the velocity: 1 - dampening
};

struct AdamSettings {
  double moment_rate;    ///< how far the first moment moves the parameter
  double gradient_rate;  ///< how far the gradient itself does (Nesterov)
  double scale;
  double decay;
  double keep;        ///< factor of the parameter before it moves: 1 - rate * decoupled decay
  double intake1;     ///< 1 - beta1
  double intake2;     ///< 1 - beta2
  double root_scale;  ///< factor of the root of the second moment in the denominator
  double epsilon;     ///< added to it
};

}  // namespace dyad::kernels
