#pragma once

#include <span>
#include <unordered_set>

#include "ops/call.h"
#include "tensor/tensor.h"

namespace dyad::autograd {

/// What is handed out lies in its own memory, in order: a caller may write to one gradient or
/// tangent and leave the others as they are. `foreign` is memory with another owner.
class Separation {
 public:
  explicit Separation(std::span<const Value> foreign, uint32_t owners = 1) : owners_(owners) {
    for (const Value& value : foreign) {
      if (value) taken_.insert(as_tensor(value).storage.get());
    }
  }
  Value operator()(Value gradient) {
    const Storage& storage = *as_tensor(gradient).storage;
    // One owner more than the walk itself is a hook that put the gradient aside.
    const bool own = taken_.insert(&storage).second && storage.owners() == 1 && gradient->owners() <= owners_;
    static const OpName copy{"copy"};
    return own && gradient->contiguous() ? gradient : copy(gradient);
  }

 private:
  uint32_t owners_;
  std::unordered_set<const Storage*> taken_;
};

}  // namespace dyad::autograd
