#pragma once

#include "bindings/python.h"
#include "tensor/tensor.h"

namespace dyad::python {

/// The Python object of a tensor. `Tensor` may be subclassed in Python (Parameter is); instances have a `__dict__`.
struct TensorObject {
  PyObject_HEAD
  Tensor tensor;
  PyObject* attributes;
  PyObject* weak_references;
};

/// Makes the type `Tensor` and adds it to the module.
void add_tensor_type(PyObject* module);
PyTypeObject* tensor_type();

bool is_tensor(PyObject* object);
/// The tensor inside; the object must be one. An object whose `__init__` has not run has none: an error.
const Tensor& tensor_of(PyObject* object);
/// A new Python Tensor around it.
PyObject* wrap(Tensor tensor);
PyObject* wrap(Value value);

}  // namespace dyad::python
