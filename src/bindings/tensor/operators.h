#pragma once

#include "bindings/python.h"

namespace dyad::python {

/// What Python's operators do on tensors: each calls one operator of the table. An operand that is neither a
/// tensor, a number nor a list gives NotImplemented, so that Python raises its usual TypeError.
PyObject* tensor_add(PyObject* a, PyObject* b);
PyObject* tensor_subtract(PyObject* a, PyObject* b);
PyObject* tensor_multiply(PyObject* a, PyObject* b);
PyObject* tensor_divide(PyObject* a, PyObject* b);
PyObject* tensor_floor_divide(PyObject* a, PyObject* b);
PyObject* tensor_remainder(PyObject* a, PyObject* b);
PyObject* tensor_divmod(PyObject* a, PyObject* b);
PyObject* tensor_power(PyObject* a, PyObject* b, PyObject* modulus);
PyObject* tensor_matmul(PyObject* a, PyObject* b);
PyObject* tensor_negative(PyObject* self);
PyObject* tensor_positive(PyObject* self);
PyObject* tensor_absolute(PyObject* self);
PyObject* tensor_invert(PyObject* self);
PyObject* tensor_and(PyObject* a, PyObject* b);
PyObject* tensor_or(PyObject* a, PyObject* b);
PyObject* tensor_xor(PyObject* a, PyObject* b);
PyObject* tensor_left_shift(PyObject* a, PyObject* b);
PyObject* tensor_right_shift(PyObject* a, PyObject* b);
PyObject* tensor_compare(PyObject* a, PyObject* b, int comparison);

int tensor_bool(PyObject* self);
PyObject* tensor_int(PyObject* self);
PyObject* tensor_float(PyObject* self);
PyObject* tensor_index(PyObject* self);

}  // namespace dyad::python
