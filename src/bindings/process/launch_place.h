#pragma once

#include <nanobind/nanobind.h>

namespace dyad::python {

/// Lets errors that a device finds later tell the line of the program that asked for the kernel.
void add_launch_place(nanobind::module_& module);

}  // namespace dyad::python
