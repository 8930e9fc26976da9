#pragma once

#include "ops/op.h"

namespace dyad {

/// A value with a dtype and a shape, perhaps symbolic, and no data. Operators applied to it are inferred, not
/// run: bodies and gradient rules give placeholders in turn.
Value placeholder(DType dtype, Shape shape);
/// The builder of placeholders, for operators without a value among their arguments.
Builder& inferring_builder();

}  // namespace dyad
