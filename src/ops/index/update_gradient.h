#pragma once

#include <functional>

#include "ops/op.h"

namespace dyad {

/// How an operator that combines values with some elements of a tensor reaches these elements. Places may
/// name an element more than once.
struct Places {
  /// The elements of a tensor like the input at the places.
  std::function<Value(const Value& whole)> read;
  /// A copy of `whole` with `value` combined into the places: the operator itself.
  std::function<Value(const Value& whole, const Arg& value, const char* reduction)> write;
};

/// Gradients of the input and, if it is a tensor, of the value, one element per place.
struct UpdateGradients {
  Value input;
  Value value;
};

UpdateGradients update_gradients(const GradCall& g, const std::string& reduction, const Arg& value,
                                 const Places& places);

}  // namespace dyad
