#pragma once

#include "ops/op.h"
#include "tensor/tensor.h"

namespace dyad::tracing {

/// Strides of row-major order. Symbolic dimensions count as some large size each, so that tensors of the same
/// symbolic shape are contiguous, transposed or neither whatever the sizes turn out to be.
Strides symbolic_strides(const Shape& shape);
/// Whether a result that may be a view is one in some layouts of the argument and a copy in others.
bool depends_on_layout(const Op& op, std::span<const Arg> args, const ResultSpec& result);
/// Whether a result of an operator on symbolic tensors lies in the memory of its first argument, and how.
bool lies_in_argument(const Op& op, std::span<const Arg> args, const ResultSpec& result, Strides& strides);

}  // namespace dyad::tracing
