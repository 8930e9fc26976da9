#pragma once

#include "types/arg.h"

namespace dyad {

/// The axis argument at `at`, counted from the front, as the only one reduced; without it all axes. Empty for
/// a 0-d input, whose axis may be 0 or -1.
Ints axis_or_all(const Arguments& args, size_t at, int64_t rank);

/// The axes that are kept, in their order, followed by `axes`.
Dims axes_moved_last(int64_t rank, const Ints& axes);
/// The last `count` dimensions as one.
Value with_joined_end(const Value& value, size_t count);

}  // namespace dyad
