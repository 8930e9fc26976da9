#pragma once

#include "autograd/op_node.h"

namespace dyad::autograd {

/// How the tangents of a call follow directly from those of its inputs.
enum class TangentForm : uint8_t {
  kNone,         ///< they do not
  kLinear,       ///< the operator applied to the tangents
  kMultilinear,  ///< the same, one input at a time, added up
  /// An elementwise operator: its Jacobian is diagonal and so its own transpose, and the gradient rule serves
  /// as the forward rule. Complex numbers have a conjugate between the two.
  kDiagonal,
};
TangentForm tangent_form(const Op& op, std::span<const Arg> args, std::span<const Value> results,
                         std::span<const Inputs::Slot> slots);

/// The tangents of the results of `op`, called with `args`, from those of the inputs at `slots`.
void push_through(TangentForm form, const Op& op, std::span<const Arg> args, std::span<const Value> results,
                  std::span<const Inputs::Slot> slots, Push& push);

}  // namespace dyad::autograd
