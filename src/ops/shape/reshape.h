#pragma once

#include "types/shape.h"

namespace dyad {

/// The shape that `wanted` asks for: one entry may be -1, which takes what the other dimensions leave. Works
/// on symbols. Raises if the number of elements would change.
Shape resolve_shape(std::string_view op, const Shape& from, const Dims& wanted);

/// Strides under which memory of `from`/`strides` reads as the shape `to`; false if no strides do.
bool reshaped_strides(const Shape& from, const Strides& strides, const Shape& to, Strides& result);

}  // namespace dyad
