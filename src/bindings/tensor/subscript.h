#pragma once

#include "bindings/python.h"

namespace dyad::python {

/// `x[key]`, `x[key] = value`, `len(x)`, `for row in x`, `value in x`, by NumPy's rules.
PyObject* tensor_get(PyObject* self, PyObject* key);
int tensor_set(PyObject* self, PyObject* key, PyObject* value);
/// `x[position]` for the sequence protocol, which has made the position non-negative.
PyObject* tensor_row(PyObject* self, Py_ssize_t position);
Py_ssize_t tensor_length(PyObject* self);
PyObject* tensor_iterate(PyObject* self);
int tensor_contains(PyObject* self, PyObject* value);

}  // namespace dyad::python
