#pragma once

#include "bindings/python.h"

namespace dyad::python {

/// Adds what the package needs to move whole tensors' data: `from_numpy`, `from_dlpack`, `adopt_array`,
/// `assign_data`, `to_bytes`, `from_bytes` and the precision that a thread computes in.
void add_data_functions(PyObject* module);

}  // namespace dyad::python
