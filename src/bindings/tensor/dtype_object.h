#pragma once

#include "bindings/python.h"
#include "types/dtype.h"

namespace dyad::python {

/// Adds the type `DType` and one object per dtype (`float32`, …) to the module.
void add_dtypes(PyObject* module);
/// The object of a dtype; a new reference. There is one per dtype, so identity is equality.
PyObject* dtype_object(DType dtype);
bool is_dtype(PyObject* object);
DType dtype_of(PyObject* object);

}  // namespace dyad::python
