#pragma once

#include "ops/op.h"

namespace dyad::infer {

/// Raises unless the argument is a float tensor of at least two dimensions.
void require_matrices(const Arguments& args, size_t at, std::string_view name);
/// Raises unless its last two dimensions are also equal.
void require_square(const Arguments& args, size_t at, std::string_view name);
/// Raises unless two stacks have the same leading dimensions.
void require_same_stack(const Arguments& args, size_t a, size_t b);
/// The leading dimensions of a stack of matrices.
Shape stack_shape(const ValueImpl& value);
Dim rows(const ValueImpl& value);
Dim columns(const ValueImpl& value);

}  // namespace dyad::infer
