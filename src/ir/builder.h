#pragma once

#include <span>

#include "types/arg.h"

namespace dyad {

class Op;

/// Carries out operators: the eager builder runs them at once, a graph builder adds nodes. Rules and bodies
/// of operators are run with either (docs/design/0006).
class Builder {
 public:
  virtual ~Builder() = default;
  /// Applies `op` to all of its arguments, in signature order, and appends its results.
  virtual void apply(const Op& op, std::span<const Arg> args, ValueList& results) = 0;
  /// The same for an operator with one result.
  virtual Value apply_one(const Op& op, std::span<const Arg> args) = 0;
};

}  // namespace dyad
