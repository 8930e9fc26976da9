#pragma once

#include "ops/op.h"

namespace dyad {

/// The axis argument at `at`, counted from the front; a 0-d input counts as one line.
int64_t sort_axis(const Arguments& args, size_t at);
/// How many elements a line along `axis` has.
Dim line_length(const ValueImpl& input, int64_t axis);
/// One element of each line, with its axis dropped or kept.
Value element_of_lines(const Value& lines, int64_t axis, Dim at, bool keepdims);
/// Raises a TypeError for dtypes without an order.
void require_ordered(const Arguments& args);

}  // namespace dyad
