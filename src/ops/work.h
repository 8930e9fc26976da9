#pragma once

#include <span>

#include "ops/op.h"

namespace dyad {

/// How many floating-point operations a call takes, for people who ask how near a kernel comes to what the
/// machine can do: two for each multiply-add of a product or convolution, one for each element of an
/// elementwise operator or a reduction, a few for each element of a norm or an optimiser's step. Moving data
/// takes none.
double flop_of(const Op& op, std::span<const Arg> args, std::span<const ValueImpl* const> results);

}  // namespace dyad
