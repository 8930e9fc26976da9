#pragma once

#include "bindings/python.h"

namespace dyad::python {

/// Adds `CompiledFunction`: a callable that finds, among its compiled forms, the one whose guards hold for a
/// call and runs it, and asks `miss(function, args, kwargs)` when none does.
void add_compiled_function(PyObject* module);

}  // namespace dyad::python
