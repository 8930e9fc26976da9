#pragma once

#include "types/arg.h"

namespace dyad {

/// The dtype in which the first `operands` arguments (tensors and numbers) meet. Numbers do not widen a
/// tensor of their kind; a bool operand yields to any other. All numbers: the default dtype of the widest.
DType operand_dtype(const Arguments& args, size_t operands);
/// As `operand_dtype`, but wide enough for each number among them: 300 is more than any uint8, not 44.
DType comparison_dtype(const Arguments& args, size_t operands);
/// The shape they broadcast to.
Shape operand_shape(const Arguments& args, size_t operands);

}  // namespace dyad
