#pragma once

#include "ops/op.h"
#include "types/arg.h"

namespace dyad {

/// The axis argument at `at`, counted from the front, as the only one reduced; without it all axes. Empty for
/// a 0-d input, whose axis may be 0 or -1.
Ints axis_or_all(const Arguments& args, size_t at, int64_t rank);

/// The axes that are kept, in their order, followed by `axes`.
Dims axes_moved_last(int64_t rank, const Ints& axes);
/// The last `count` dimensions as one.
Value with_joined_end(const Value& value, size_t count);

/// A value of a reduction's result shape, spread over the shape of the reduction's input (argument 0). `axis`
/// and `keepdims` are the positions of these arguments in the call.
Value expand_reduced(const Call& call, const Value& reduced, size_t axis = 1, size_t keepdims = 2);

/// How many elements of `input` meet in one element when `axes` are reduced: a number, or a 0-d value of the
/// input's dtype where a size is known only at run time.
Arg reduced_count(const Value& input, const Ints& axes);

}  // namespace dyad
