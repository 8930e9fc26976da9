#pragma once

#include "ops/op.h"

namespace dyad {

/// A value of a reduction's result shape, spread over the shape of the reduction's input (argument 0). `axis` and
/// `keepdims` are the positions of these arguments in the call.
Value expand_reduced(const Call& call, const Value& reduced, size_t axis = 1, size_t keepdims = 2);

/// Product of the sizes of the reduced axes; a symbol among them is an error, since a number is needed.
double reduced_count(const Call& call, const ValueImpl& input, const Ints& axes);

}  // namespace dyad
