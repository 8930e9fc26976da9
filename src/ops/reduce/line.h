#pragma once

#include "types/arg.h"

namespace dyad {

/// The axis argument at `at`, counted from the front, as the only one reduced; without it all axes. Empty for
/// a 0-d input, whose axis may be 0 or -1.
Ints axis_or_all(const Arguments& args, size_t at, int64_t rank);

}  // namespace dyad
