#pragma once

#include <nanobind/nanobind.h>

namespace dyad::python {

/// Adds `GuardTree`, the process state that guards can read, and `memory_overlaps`.
void add_guard_tree(nanobind::module_& module);

}  // namespace dyad::python
