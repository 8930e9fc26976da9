#pragma once

#include "ops/op.h"

namespace dyad::loss {

/// 'none', 'mean' or 'sum' applied to a loss per element; another word is a ValueError.
Value reduce(const Call& call, const Value& loss, size_t reduction);
/// Raises unless the reduction is one of the three.
void require_reduction(const Arguments& args, size_t reduction);
/// Raises a ValueError unless both arguments broadcast.
void require_broadcast(const Arguments& args, size_t a, size_t b);
/// Raises a ValueError unless both arguments have the same shape.
void require_same_shape(const Arguments& args, size_t a, size_t b);

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
