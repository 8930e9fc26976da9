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
        constant_(node.constant) {}
  ~NodeLocation() { tracer_.location = std::move(location_); }
  NodeLocation(const NodeLocation&) = delete;
  NodeLocation& operator=(const NodeLocation&) = delete;

 private:
  tracing::GraphTracer& tracer_;
  ir::Location location_;
  tracing::CalledAs called_;
  autograd::ConstantRegion constant_;
};

}  // namespace dyad::transforms
