#pragma once

#include <nanobind/nanobind.h>

#include "capture/tracing/graph_tracer.h"

namespace dyad::python {

/// While it lives, this thread captures nothing: operators run, and Python finds no graph.
class OutsideGraphs {
 public:
  OutsideGraphs();
  ~OutsideGraphs();
  OutsideGraphs(const OutsideGraphs&) = delete;
  OutsideGraphs& operator=(const OutsideGraphs&) = delete;

 private:
  tracing::Aside aside_;
};

}  // namespace dyad::python
