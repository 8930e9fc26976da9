#pragma once

#include "ops/op.h"

namespace dyad::autograd {

/// Which values of the forward call a gradient rule reads, beyond their dtype and shape: a bit per argument
/// (all members, for a list) and per result.
struct Usage {
  ArgumentMask args = 0;
  ArgumentMask results = 0;
};

/// What the rule of `op` reads when the gradients of the arguments in `needed` are wanted. Found by running
/// the rule on descriptions without data, once for each kind of call.
Usage usage_of(const Op& op, std::span<const Arg> args, std::span<const Value> results, ArgumentMask needed);

}  // namespace dyad::autograd
