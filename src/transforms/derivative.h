#pragma once

#include "ir/graph.h"

namespace dyad::transforms {

/// A captured program split for reverse mode.
struct Derivative {
  /// Takes what the program took, the same parameters and state; gives its results, then the residuals.
  std::shared_ptr<ir::Module> forward;
  /// Takes the residuals, then a gradient for each result in `of`; gives a gradient for each parameter in
  /// `by`. Where the host has a part in it, the token comes last.
  std::shared_ptr<ir::Module> backward;
  size_t residuals = 0;
};

/// `by` says for each parameter of the main function whether its gradient is wanted, `of` for each result
/// whether one may arrive. The module stays as it is. What cannot be differentiated raises what the dynamic
/// graph raises.
/// `state` tells which parameters are a Parameter's memory.
Derivative differentiate(const ir::Module& module, const std::vector<bool>& by, const std::vector<bool>& of,
                         const std::vector<bool>& state = {});

}  // namespace dyad::transforms
