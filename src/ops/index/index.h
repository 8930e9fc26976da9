#pragma once

#include "ops/op.h"

namespace dyad {

/// Index tensors with each bool one replaced by the coordinates of its true elements, one integer tensor per
/// dimension that it covers. Raises where a bool tensor does not match the dimensions it stands for.
ValueList integer_indices(std::string_view op, const Shape& shape, const ValueList& indices);

/// Index tensors that choose along one axis: holes before it.
ValueList index_along(size_t axis, const Value& index);

/// The last dimension of `indices` as one index tensor per entry: (…, k) to k tensors of shape (…).
ValueList index_columns(std::string_view op, const Value& indices, int64_t rank);

/// The axis of a tensor that must have one.
size_t index_axis(const Arguments& args, const Value& input, int64_t axis);

}  // namespace dyad
