#pragma once

#include "ops/op.h"

namespace dyad {

/// A tensor that stands where a number may: of one element, which comes back without dimensions. Anything
/// larger is a type error that calls it by this name.
Value single_element(const Call& call, size_t at, std::string_view name);

}  // namespace dyad
