#pragma once

#include <nanobind/nanobind.h>

namespace dyad::python {

/// Streams and events of a GPU, for `dyad.runtime`.
void add_streams(nanobind::module_& module);

}  // namespace dyad::python
