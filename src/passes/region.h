#pragma once

#include "ir/graph.h"
#include "ops/op.h"

namespace dyad::passes {

// What a fused function may hold: the contract between the pass that fuses and the code generators.
//
// A fused function is pure. Its parameters are tensors, its nodes are operators of these kinds:
//   pointwise  an elementwise operator with a scalar definition for the dtype it computes in, no complex
//              dtype; `cast`; `full`/`zeros`/`ones` (and …_like) of a known number
//   movement   `broadcast_to`, `permute` and other orders of axes, `expand_dims`, `squeeze`, `reshape` that
//   only adds or
//              drops axes of size 1: the same elements under other indices
//   reduction  an operator with `Op::reduction`
// The function has one domain: axes such that every value is a function of some of them. An axis is *kept* or
// *reduced*: all reductions of a function reduce the same axes, and what they give may be broadcast along
// them again (softmax). A result spans all axes of the domain, or the kept ones; some of them may have size 1
// in it.

/// With fewer elements than this, code for a group of operators would gain nothing over their kernels.
inline constexpr int64_t kFewElements = 16;

/// What a node is in a fused function: computed per element, moving elements, or folding them.
enum class Role : uint8_t { kNone, kPointwise, kMovement, kReduction };
/// What a node would be in a fused function; kNone where it cannot be part of one.
Role role_of(const ir::Node& node);
/// The axes of its operand that a reduction folds, in order, counted from the front.
Ints reduced_axes(const ir::Node& node);

}  // namespace dyad::passes
