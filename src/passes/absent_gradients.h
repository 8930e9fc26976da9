#pragma once

#include "ir/graph.h"

namespace dyad::passes {

/// What is left of a backward function whose parameters from some place on are gradients.
struct ArrivedGradients {
  std::vector<bool> takes;  ///< per gradient: whether it is still a parameter; zeros stand for an absent one
  std::vector<bool> gives;  ///< per result before: whether it is still one; the others nothing arrives at
};

/// Writes a backward function for a walk that brings only some of the gradients. It is linear in them: what
/// comes from absent ones alone is left out, as the dynamic graph never computes it, and is not multiplied by
/// an infinity on its way. Parameters from `first` on are gradients; `arrived` says which ones there are.
ArrivedGradients drop_absent_gradients(ir::Module& module, size_t first, const std::vector<bool>& arrived);

}  // namespace dyad::passes
