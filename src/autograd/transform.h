#pragma once

#include "autograd/node.h"
#include "autograd/state.h"

namespace dyad::autograd {

/// A transform on this thread's tape, as long as it lives. Steps from `mark` on belong to it.
class Transform {
 public:
  Transform() : mark(next_sequence()) { enter_transform(); }
  ~Transform() { exit_transform(); }
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;
  const uint64_t mark;
};

}  // namespace dyad::autograd
