#pragma once

#include <functional>

#include "ops/op.h"

namespace dyad {

/// Access to the elements that an operator combines with values. An element may be selected more than once.
struct Places {
  /// The selected elements of a tensor like the input.
  std::function<Value(const Value& whole)> read;
  /// A copy of `whole` with `value` combined with the selected elements: the operator itself.
  std::function<Value(const Value& whole, const Arg& value, const char* reduction)> write;
};

/// Gradients of the input and, if it is a tensor, of the value, one element per position.
struct UpdateGradients {
  Value input;
  Value value;
};

UpdateGradients update_gradients(const GradCall& g, const std::string& reduction, const Arg& value,
                                 const Places& places);

}  // namespace dyad
