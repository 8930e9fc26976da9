#pragma once

#include <utility>

#include "autograd/state.h"
#include "capture/tracing/graph_tracer.h"

namespace dyad::transforms {

/// While it lives, nodes come from this place of the program, and count as constants where the original does.
class NodeLocation {
 public:
  NodeLocation(tracing::GraphTracer& tracer, const ir::Node& node)
      : tracer_(tracer),
        location_(std::exchange(tracer.location, node.location)),
        called_(node.location.called),
        enabled_(autograd::state().enabled),
        constant_(autograd::state().constant) {
    if (!node.constant) return;
    autograd::state().enabled = false;
    autograd::state().constant = true;
  }
  ~NodeLocation() {
    tracer_.location = std::move(location_);
    autograd::state().enabled = enabled_;
    autograd::state().constant = constant_;
  }
  NodeLocation(const NodeLocation&) = delete;
  NodeLocation& operator=(const NodeLocation&) = delete;

 private:
  tracing::GraphTracer& tracer_;
  ir::Location location_;
  tracing::CalledAs called_;
  bool enabled_;
  bool constant_;
};

}  // namespace dyad::transforms
