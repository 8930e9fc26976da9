#pragma once

#include "ops/op.h"

namespace dyad::loss {

/// The axis of the classes: the second, or the only one.
inline int64_t class_axis(const ValueImpl& input) { return input.rank() == 1 ? 0 : 1; }

/// The shape of one class index per position: the input's without its axis of classes.
Shape positions(const ValueImpl& input);
/// Raises a ValueError unless the argument has the shape of one class index per position of the input.
void require_class_indices(const Arguments& args, size_t input, size_t target);
/// Raises a ValueError unless the input has an axis of classes.
void require_class_axis(const Arguments& args, size_t input);
/// Raises a ValueError unless the argument, if given, holds one number per class.
void require_class_weight(const Arguments& args, size_t input, size_t weight);

}  // namespace dyad::loss
