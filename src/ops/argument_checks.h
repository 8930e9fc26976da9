#pragma once

#include "ops/op.h"
#include "types/arg.h"

namespace dyad {

/// Refuses a value, argument `value`, that would be changed by more than rounding when it is written into
/// argument `into`: fractions would be cut off, and integers of a wider dtype or another sign would wrap.
/// Numbers are of no width.
void require_fit(const Arguments& args, size_t value, size_t into);

/// A tensor that stands where a number may: of one element, which comes back without dimensions. Anything
/// larger is a type error that calls it by this name.
Value single_element(const Call& call, size_t at, std::string_view name);

}  // namespace dyad
