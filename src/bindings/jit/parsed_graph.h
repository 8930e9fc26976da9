#pragma once

#include <nanobind/nanobind.h>

namespace dyad::python {

/// Adds `_core.parse_graph`: the text of a graph as a graph that can be checked, compiled and run.
void add_parsed_graph(nanobind::module_& module);

}  // namespace dyad::python
