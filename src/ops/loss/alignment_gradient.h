#pragma once

#include "ops/op.h"

namespace dyad {

/// The gradient of alignment losses in terms of differentiable operators, as the body of `ctc_losses_grad`.
Value alignment_gradient(const Call& call);

}  // namespace dyad
