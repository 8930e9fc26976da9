#pragma once

#include <nanobind/nanobind.h>

namespace dyad::python {

/// `start_profile` and `stop_profile`: every kernel that runs in between, with its line of the program.
void add_profile(nanobind::module_& module);

}  // namespace dyad::python
