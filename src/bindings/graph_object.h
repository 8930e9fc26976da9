#pragma once

#include <nanobind/nanobind.h>

namespace dyad::python {

/// Adds `_core.Graph`, a program that is being captured, and what belongs to it: `GraphNumber`,
/// `CaptureError`, `SymbolicDimError`, `current_graph()`, `is_symbolic()`.
void add_graph(nanobind::module_& module);

}  // namespace dyad::python
