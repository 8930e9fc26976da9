#pragma once

#include "types/shape.h"

namespace dyad {

/// Refuses the truth of a tensor that has not one element, in NumPy's words.
[[noreturn]] void refuse_truth(const Shape& shape);

}  // namespace dyad
