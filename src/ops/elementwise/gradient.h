#pragma once

#include "ops/call.h"

namespace dyad {

/// Returns whether operand `i` needs a gradient: a number does not, nor a tensor that is not differentiated.
bool takes_gradient(const GradCall& g, size_t i);
/// Sets the gradient of an operand that broadcast: summed back to its shape, in its dtype if that has
/// fractions.
void set_reduced(GradCall& g, size_t i, const Value& gradient);

/// Sets the gradient of operand `i` to `rule()`, if the operand needs one.
template <class Rule>
void set_operand(GradCall& g, size_t i, const Rule& rule) {
  if (takes_gradient(g, i)) set_reduced(g, i, rule());
}

/// The conjugate of a complex tensor or number; anything else as it is.
Arg conjugated(const Arg& x);

}  // namespace dyad
