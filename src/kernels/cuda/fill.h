#pragma once

#include "types/scalar.h"
#include "types/value.h"

namespace dyad::kernels {

/// Writes one number to every element of a contiguous value on a device.
void fill_on_device(ValueImpl& out, Scalar number);

}  // namespace dyad::kernels
