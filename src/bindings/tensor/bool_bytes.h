#pragma once

#include "tensor/tensor.h"

namespace dyad::python {

/// Bools from outside may be any byte, of which all but 0 mean true; kernels count on 0 and 1. Writes 1 for
/// the others, into the same memory where that may be written, so that it stays shared, or into a copy.
Tensor with_plain_bools(Tensor tensor);

}  // namespace dyad::python
