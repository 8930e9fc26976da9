#pragma once

namespace dyad::kernels {

/// p -= rate * g.
struct DescentSettings {
  double rate;
  double scale;
  double decay;
};

/// Of MomentumStep.
struct MomentumSettings {
  double velocity_rate;  ///< how far the velocity moves the parameter
  double gradient_rate;  ///< how far the gradient itself does (Nesterov)
  double scale;
  double decay;
  double momentum;
};

/// Gradient descent whose velocity takes a share of each gradient.
struct SgdSettings {
  double velocity_rate;
  double gradient_rate;
  double scale;
  double decay;
  double momentum;
  double intake;  ///< share of the gradient that enters the velocity: 1 - dampening
};

/// Of Adam in all its forms, with the corrections of the means worked into the factors.
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

/// Of AdamaxStep.
struct AdamaxSettings {
  double rate;
  double scale;
  double decay;
  double intake1;
  double beta2;
  double inner_epsilon;  ///< added to the gradient's magnitude
  double epsilon;        ///< added to the denominator
};

/// Of AdagradStep.
struct AdagradSettings {
  double rate;
  double scale;
  double decay;
  double intake;  ///< 0 leaves the sum of squares as it is
  double epsilon;
};

/// Of RMSProp, centred or not.
struct RmspropSettings {
  double gradient_rate;  ///< of the gradient on its way into the velocity
  double velocity_rate;  ///< of the velocity on its way into the parameter
  double scale;
  double decay;
  double intake;  ///< 1 - the decay of the means
  double momentum;
  double inner_epsilon;  ///< added under the root
  double epsilon;        ///< added to the root
};

/// Of AdadeltaStep.
struct AdadeltaSettings {
  double rate;
  double scale;
  double decay;
  double rho;
  double intake;  ///< 1 - rho
  double epsilon;
};

/// Of FTRL: the rates follow a power of the sum of squares, `l1` and `l2` regularise.
struct FtrlSettings {
  double rate;
  double scale;
  double decay;
  double l1;
  double l2;
  double power;
  double power_of_zero;
};

/// Of ProximalAdagradStep.
struct ProximalSettings {
  double rate;
  double scale;
  double decay;
  double l1;
  double l2;
};

/// Of Rprop: each element has a step size of its own.
struct RpropSettings {
  double carry;  ///< 0 in the first step, whose sizes are all `fresh`; 1 afterwards
  double fresh;  ///< 0 after the first step
  double scale;
  double decay;
  double shrink;
  double grow;
  double smallest;
  double largest;
};

/// Of Lamb.
struct LambSettings {
  double rate;  ///< learning rate times the trust in the direction
  double decay;
  double intake1;
  double intake2;
  double correction1;  ///< 1 / (1 - beta1^t)
  double correction2;
  double epsilon;
};

/// Of AsgdStep: factors of the parameter and of its average.
struct AsgdSettings {
  double rate;
  double scale;
  double decay;
  double keep;
  double average_keep;
  double average_intake;
};

}  // namespace dyad::kernels
