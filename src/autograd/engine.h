#pragma once

#include "tensor/tensor.h"
#include "types/arg.h"

namespace dyad::autograd {

/// The gradients of `inputs` (leaves of a transform), summed over the outputs. `seeds` are the gradients to
/// begin with, one per output; an empty one stands for ones. Only steps recorded since `mark` are walked.
/// Unless `keep`, saved values are freed on the way. Inside another transform the walk is recorded.
/// An input that nothing depends on gets zeros.
std::vector<Value> differentiate(std::span<const Value> outputs, std::span<const Value> seeds,
                                 std::span<const Value> inputs, uint64_t mark, bool keep);

/// The same walk through a few steps that were recorded since `mark` for its sake: `inputs` are the stand-ins
/// they began with, every output has a seed, and an input that nothing depends on gets an empty gradient.
std::vector<Value> pull_back(std::span<const Value> outputs, std::span<const Value> seeds,
                             std::span<const Value> inputs, uint64_t mark, bool recorded);

/// The same as the walk gives them: empty for an input that nothing depends on, and perhaps in memory that
/// others look at.
std::vector<Value> gradients(std::span<const Value> outputs, std::span<const Value> seeds,
                             std::span<const Value> inputs, uint64_t mark, bool keep);

/// `Tensor.backward()`: adds gradients to `.grad` of every leaf that asks for one.
void backward(const Value& output, const Value& seed, bool keep);

}  // namespace dyad::autograd
