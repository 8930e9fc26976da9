#pragma once

#include <nanobind/nanobind.h>

namespace dyad::python {

// Everything that this folder adds to `dyad._core`; module.cpp calls it in order.

/// Adds the type `DType` and one object per dtype (`float32`, …) to the module.
void add_dtypes(PyObject* module);
/// Makes the type `Tensor` and adds it to the module.
void add_tensor_type(PyObject* module);
/// Adds what the package needs to move whole tensors' data: `from_numpy`, `from_dlpack`, `adopt_array`,
/// `assign_data`, `to_bytes`, `from_bytes` and the precision that a thread computes in.
void add_data_functions(PyObject* module);

}  // namespace dyad::python
