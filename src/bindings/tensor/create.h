#pragma once

#include "bindings/python.h"
#include "tensor/tensor.h"

namespace dyad::python {

/// `Tensor.__init__(input_data=None, dtype=None, shape=None, init=None, const_arg=False, device=None)`.
void initialise_tensor(PyObject* self, PyObject* args, PyObject* kwargs);
/// A tensor from a number, nested lists or tuples, a NumPy array or another tensor; always a copy. Floats
/// become float32, ints int64, bools bool; NumPy arrays and tensors keep their dtype. Anything else is a
/// TypeError.
Tensor tensor_from_data(PyObject* data);
/// The same, converted to a dtype.
Tensor tensor_from_data(PyObject* data, DType dtype);

}  // namespace dyad::python
