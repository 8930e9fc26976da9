#pragma once

#include "bindings/python.h"
#include "tensor/tensor.h"

namespace dyad::python {

/// The tensor that `Tensor(input_data, dtype, shape, init, const_arg, device)` makes.
Tensor tensor_from_call(PyObject* args, PyObject* kwargs);
/// A tensor from a number, nested lists or tuples, a NumPy array or another tensor; always a copy. Floats become
/// float32, ints int64, bools bool; NumPy arrays keep their dtype. Anything else is a TypeError.
Tensor tensor_from_data(PyObject* data);

/// Whether the object is a NumPy scalar (np.float32(1) and the like).
bool is_numpy_number(PyObject* object);
/// Reads np.dtype('float32') or np.float32; false for anything else.
bool numpy_dtype_from(PyObject* object, DType& out);

}  // namespace dyad::python
