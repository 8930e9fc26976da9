#pragma once

#include "ops/op.h"

namespace dyad {

// Lengths and spreads are roots of sums that may be zero: at equal rows, at a vector of zeros, at a constant
// sample. The root's slope is infinite there and times the zero slope of the sum it would be NaN; these
// functions have the subgradient 0 instead.

/// √x, with gradient 0 where x is 0.
Value safe_sqrt(const Value& x);
/// x^(1/order), with gradient 0 where x is 0.
Value safe_root(const Value& x, double order);
/// |x|^order, with gradient 0 where x is 0.
Value magnitude_power(const Value& x, double order);

}  // namespace dyad
