#pragma once

#include "kernels/cpu/reduce_table.h"
#include "types/value.h"

namespace dyad::kernels {

/// Reduces `in` over `axes` (normalised, ascending) into `out`, both on one device, with the meaning of
/// `reduce` for the CPU.
void reduce_on_device(ReduceKind kind, const ValueImpl& in, const Ints& axes, ValueImpl& out,
                      double scale = 1);

}  // namespace dyad::kernels
