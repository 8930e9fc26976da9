#pragma once

#include <nanobind/nanobind.h>

namespace dyad::python {

/// Adds what Python needs of the tape: transforms, leaves, hooks, nodes written in Python.
void add_tape(nanobind::module_& module);

}  // namespace dyad::python
