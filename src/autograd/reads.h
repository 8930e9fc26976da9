#pragma once

#include <span>
#include <unordered_set>
#include <vector>

#include "autograd/autograd_meta.h"

namespace dyad::autograd {

/// The recorded tensors that operators on this thread read while recording is off, in order: what is made
/// meanwhile has no history, so these come from outside. A function that is run again for its gradient needs
/// them like its arguments.
class Reads {
 public:
  void note(std::span<const Arg> args);
  const std::vector<Tensor>& tensors() const { return tensors_; }

 private:
  void note(const Value& value);
  std::vector<Tensor> tensors_;
  std::unordered_set<const TensorImpl*> known_;
};

/// While it lives, the tensor counts as a leaf; inside an outer transform its gradient leads on to where it
/// came from.
class StandIn {
 public:
  explicit StandIn(Tensor tensor);
  ~StandIn() { end(); }
  StandIn(StandIn&&) = default;
  StandIn& operator=(StandIn&&) = delete;
  void end();

 private:
  Tensor tensor_;
  Edge before_;
};

}  // namespace dyad::autograd
