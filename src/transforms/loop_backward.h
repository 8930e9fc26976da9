#pragma once

#include "transforms/joint.h"

namespace dyad::transforms {

/// What the backward of a loop starts from.
struct LoopRun {
  Item rounds;                        ///< how many the loop made
  std::vector<Item> gradients;        ///< of the variables that carry one, as they arrive at the end
  std::vector<Item> stacks;           ///< the residuals of all rounds
  const std::vector<Item>& operands;  ///< of the loop; the body has them as parameters
};

/// Writes the loop that goes through the rounds from the last to the first, see `LoopBackwardState`; gives a
/// gradient for each operand of `by`. `body` is the loop's body, split; `by` tells which operands it is
/// differentiated by, `of` which variables carry a gradient.
std::vector<Item> write_loop_backward(GraphTracer& tracer, const Joint& body, const std::vector<bool>& by,
                                      const std::vector<bool>& of, const LoopRun& run);

}  // namespace dyad::transforms
