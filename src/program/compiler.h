#pragma once

#include <memory>

#include "base/intrusive.h"
#include "ir/graph.h"

namespace dyad::program {

class Program;

/// Compiles the graphs that a program leads to: its own with the sizes of a run, the forwards and backwards
/// that are derived from it. The driver, which lies above this room, brings it along. Several threads may use
/// it at once.
class Compiler {
 public:
  virtual ~Compiler() = default;
  /// The graph is changed and then belongs to the program. `differentiable`: a tape may record runs of the
  /// program as one step.
  virtual Ref<Program> compile(std::shared_ptr<ir::Module> graph, bool differentiable) const = 0;
};

}  // namespace dyad::program
