#pragma once

#include "capture/tracing/scope.h"

namespace dyad::tracing {

class GraphTracer;

/// An `if`, `while` or `call` that was added to a function, and what it has to do with tensors.
struct ControlFlowStep {
  Scope& here;
  ir::Node& node;
  std::span<const Item> given;                   ///< the first arguments, but for the condition of an `if`
  const std::vector<CapturedVariable>& passed;   ///< the further ones
  std::span<const Item> results;                 ///< the first results
  const std::vector<CapturedVariable>& changed;  ///< the storages that the further ones are written to
};

/// Differentiation as the tracer knows it: operators are recorded by dispatch, nodes with functions here.
class ControlFlowTape {
 public:
  virtual ~ControlFlowTape() = default;
  /// Makes the node the source of its results, where one of its arguments has one.
  virtual void record(GraphTracer& tracer, const ControlFlowStep& step) = 0;
};
/// Called while the library is loaded.
void set_control_flow_tape(ControlFlowTape* tape);

}  // namespace dyad::tracing
