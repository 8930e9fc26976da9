#pragma once

#include <functional>

#include "autograd/node.h"

namespace dyad::autograd {

/// Runs a gradient rule: gradients of the inputs, one per edge, from those of the outputs.
using Backward = std::function<void(std::span<Value> gradients, std::span<Value> inputs)>;

/// Forward mode through a step that knows only its gradient rule. The rule is linear in the gradients that
/// arrive: from stand-ins for those it gives the input gradients, and the derivative of that by the
/// stand-ins, with the tangents as seeds, is the rule transposed, the tangents of the outputs. What the
/// stand-ins hold never matters: `nothing` has one for each output, empty for one that no tangent is asked
/// for.
void transpose(const Backward& backward, std::span<const Value> nothing, Push& push);
/// The same with stand-ins that take no memory; `outputs` are dtype and shape of the step's results.
void transpose(const Backward& backward, std::span<const ResultSpec> outputs, Push& push);

}  // namespace dyad::autograd
