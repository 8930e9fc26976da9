#pragma once

#include "ops/op.h"

namespace dyad {

/// A value of a reduction's result shape, spread over the shape of the reduction's input (argument 0). `axis`
/// and `keepdims` are the positions of these arguments in the call.
Value expand_reduced(const Call& call, const Value& reduced, size_t axis = 1, size_t keepdims = 2);

/// How many elements of `input` meet in one element when `axes` are reduced: a number, or a 0-d value of the
/// input's dtype where a size is known only at run time.
Arg reduced_count(const Value& input, const Ints& axes);

}  // namespace dyad
