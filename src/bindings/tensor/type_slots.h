#pragma once

#include "bindings/python.h"

namespace dyad::python {

// The functions that the type `Tensor` consists of, in the form that Python's slots want.

/// Attributes and methods of Tensor that are no operators: shape, dtype, strides, item(), …
PyGetSetDef* tensor_attributes();
PyMethodDef* tensor_methods();

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

/// `x[key]`, `x[key] = value`, `len(x)`, `for row in x`, `value in x`, by NumPy's rules.
PyObject* tensor_get(PyObject* self, PyObject* key);
int tensor_set(PyObject* self, PyObject* key, PyObject* value);
/// `x[position]` for the sequence protocol, which has made the position non-negative.
PyObject* tensor_row(PyObject* self, Py_ssize_t position);
Py_ssize_t tensor_length(PyObject* self);
PyObject* tensor_iterate(PyObject* self);
int tensor_contains(PyObject* self, PyObject* value);

/// The buffer protocol: `memoryview(x)` and `numpy.asarray(x)` share the tensor's memory.
int tensor_getbuffer(PyObject* self, Py_buffer* view, int flags);
void tensor_releasebuffer(PyObject* self, Py_buffer* view);

/// `Tensor.__dlpack__(*, stream, max_version, dl_device, copy)`: a versioned capsule for consumers that
/// understand version 1, else the older one, which cannot say that memory is read-only.
PyObject* tensor_dlpack(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);
/// `Tensor.__dlpack_device__()`.
PyObject* tensor_dlpack_device(PyObject* self, PyObject*);
/// `from_dlpack(source)`: a Tensor sharing the memory of a capsule or of an object with `__dlpack__`.
PyObject* from_dlpack(PyObject* module, PyObject* source);

}  // namespace dyad::python
