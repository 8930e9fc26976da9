#pragma once

#include <span>
#include <unordered_set>

#include "ops/call.h"
#include "tensor/tensor.h"

namespace dyad::autograd {

/// What is handed out lies in its own memory, in order: a caller may write to one gradient or
/// tangent and leave the others as they are. `foreign` is memory that belongs to somebody else.
class Separation {
 public:
  explicit Separation(std::span<const Value> foreign) {
    for (const Value& value : foreign) {
      if (value) taken_.insert(as_tensor(value).storage.get());
    }
  }
  Value operator()(Value gradient) {
    const Storage& storage = *as_tensor(gradient).storage;
    // Two owners are the pass and the caller; a third is a hook that put the gradient aside.
    const bool own = taken_.insert(&storage).second && storage.owners() == 1 && gradient->owners() <= 2;
    static const OpName copy{"copy"};
    return own && gradient->contiguous() ? gradient : copy(gradient);
  }

 private:
  std::unordered_set<const Storage*> taken_;
};

}  // namespace dyad::autograd
