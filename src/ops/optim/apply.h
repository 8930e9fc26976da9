#pragma once

#include "ops/call.h"

namespace dyad::optim {

/// A setting that is given as a tensor or as a number, as a tensor.
inline Value as_value(const Call& call, size_t argument) {
  static const OpName full{"full"};
  if (call.is_value(argument)) return call.value(argument);
  return full(call.builder(), Dims{}, call.number(argument).to_double(), DType::kFloat32);
}

/// Whether a setting from `first` to `last` is a tensor, whose value only the step itself sees.
inline bool any_open(const Call& call, size_t first, size_t last) {
  for (size_t i = first; i <= last; ++i) {
    if (call.is_value(i)) return true;
  }
  return false;
}

/// The arguments from `first` to `last`, which the operator has changed, as its results.
inline ValueList changed(const Call& call, size_t first, size_t last) {
  ValueList results;
  for (size_t i = first; i <= last; ++i) results.push_back(call.value(i));
  return results;
}

}  // namespace dyad::optim
