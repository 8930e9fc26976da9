#pragma once

#include "ops/op.h"

namespace dyad {

/// The gradient of a running product in terms of differentiable operators, as the body of `cumprod_grad`. It
/// forms the products for each pair of places, which the kernel does not.
Value running_product_gradient(const Call& call);

}  // namespace dyad
