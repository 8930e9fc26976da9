#pragma once

#include <nanobind/nanobind.h>

namespace dyad::python {

/// `observe_compilations(observer)`: the observer's `begin(name, purpose)`, `look(stage)` and `end()` are
/// called while graphs are compiled.
void add_progress(nanobind::module_& module);

}  // namespace dyad::python
