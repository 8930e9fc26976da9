#pragma once

#include "types/arg.h"

namespace dyad {

/// Refuses a value, argument `value`, that would be changed by more than rounding when it is written into
/// argument `into`: fractions would be cut off, and integers of a wider dtype or another sign would wrap.
/// Numbers are of no width.
void require_fit(const Arguments& args, size_t value, size_t into);

}  // namespace dyad
