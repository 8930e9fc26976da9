#pragma once

#include <utility>

#include "transforms/items.h"

namespace dyad::transforms {

// Residual stacks, where the turns of a loop leave what the gradient needs of them. The tensor that stands
// for a stack has the dtype and shape of what lies on it, which may be stacks too. Each of these is a step on
// the tape: the gradient of a stack is a stack of gradients.

/// A stack without anything on it.
Tensor new_residual_stack(GraphTracer& tracer, DType dtype, const Shape& shape);
/// The stack with a value on top.
Tensor push_residual(GraphTracer& tracer, const Tensor& stack, const Tensor& value);
/// The stack without what was on top, and that.
std::pair<Tensor, Tensor> pop_residual(GraphTracer& tracer, const Tensor& stack, bool of_stacks);

}  // namespace dyad::transforms
