#pragma once

#include "bindings/python.h"
#include "tensor/tensor.h"

namespace dyad::python {

/// What a tensor without data will be: `Tensor(shape=…, dtype=…, init=…)` is filled by its initialiser at the
/// first use; a template (a shape with symbolic dimensions) has no initialiser and never gets data.
struct Pending {
  DType dtype;
  Shape shape;
  Object initializer;
  bool any_rank =
      false;  ///< a template that leaves the number of dimensions open too; its shape means nothing
  const void* graph = nullptr;  ///< the one that was captured when the tensor was made
};

/// The Python object of a tensor. `Tensor` may be subclassed in Python (Parameter is); instances have a
/// `__dict__`.
struct TensorObject {
  PyObject_HEAD Tensor tensor;
  Pending* pending;
  PyObject* attributes;
  PyObject* weak_references;
};

PyTypeObject* tensor_type();

bool is_tensor(PyObject* object);
/// The tensor inside; the object must be one. A pending one is filled first. An object whose `__init__` has
/// not run and a template have none: an error.
const Tensor& tensor_of(PyObject* object);
/// What is known of a pending tensor; null if the data is there.
const Pending* pending_of(PyObject* object);
/// Replaces the data of the object; a pending one is pending no longer.
void set_tensor(PyObject* object, Tensor tensor);
void set_pending(PyObject* object, Pending pending);
/// The object of a class derived from Tensor, a Parameter, that holds this very tensor; null if none does.
PyObject* owner_of(const TensorImpl& tensor);
/// A new object of the same class as `object`, with the same attributes, around a symbolic tensor.
PyObject* stand_in_for(PyObject* object, Tensor tensor);
/// A new Python Tensor around it.
PyObject* wrap(Tensor tensor);
PyObject* wrap(Value value);

}  // namespace dyad::python
