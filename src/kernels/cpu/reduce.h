#pragma once

#include "kernels/cpu/reduce_table.h"
#include "types/arg.h"

namespace dyad::kernels {

/// Reduces `in` over `axes` (normalised, ascending) into `out`, whose elements are those of the other axes in
/// order. The accumulated value is multiplied by `scale` before it takes the dtype of `out`; sums only. The
/// order in which elements meet depends on the shape alone, not on the number of threads.
void reduce(ReduceKind kind, const ValueImpl& in, const Ints& axes, ValueImpl& out, double scale = 1);

/// The loops for the best instruction set of this machine.
const ReduceTable& reduce_loops();

/// The loops' name for the dtype in which elements meet (kernels/scalar/compute_dtype.h).
ReduceType reduce_type(DType compute_dtype);
/// What an accumulator starts with: joined with it, every element stays as it is.
Scalar reduction_neutral(ReduceKind kind, DType dtype);

/// The axes argument at `at`, counted from the front and in order; None or empty means all.
Ints axes_of(const Arguments& args, size_t at, int64_t rank);

}  // namespace dyad::kernels
