#pragma once

#include <span>
#include <vector>

#include "ops/op.h"

namespace dyad {

/// The gradient of one argument: of a tensor, or one per member of a list. Empty where the rule gives none.
struct ArgumentGradient {
  Value value;
  ValueList members;
};

/// Runs an operator's gradient rule with `builder` (docs/design/0006). `args` are all arguments of the
/// forward call, `results` what it gave, `gradients` one per result; an unused result has an empty
/// gradient. `needed` tells which arguments' gradients are wanted; others may be empty. Gives one entry per
/// argument. An operator without a rule is a ValueError; a gradient of another
/// shape than its argument is our bug.
std::vector<ArgumentGradient> run_gradient_rule(Builder& builder, const Op& op, std::span<const Arg> args,
                                                std::span<const Value> results,
                                                std::span<const Value> gradients,
                                                ArgumentMask needed = kAllArguments);

}  // namespace dyad
