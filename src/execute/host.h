#pragma once

#include <span>
#include <vector>

#include "ir/graph.h"
#include "types/arg.h"

namespace dyad::execute {

/// Carries out the host nodes of a run, in the order of the program.
class Host {
 public:
  virtual ~Host() = default;
  /// `args` and `results` leave the token out: tensors and numbers only. Tensors may be kept. It appends as
  /// many results as the node has besides the token.
  virtual void call(const ir::Node& node, std::span<const Arg> args, std::vector<Arg>& results) = 0;
  /// An exception leaves the step that stands for this place of the user's program; called once for each.
  virtual void failed_at(const ir::Location&) {}
};

}  // namespace dyad::execute
