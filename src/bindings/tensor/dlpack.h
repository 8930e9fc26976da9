#pragma once

#include "bindings/python.h"

namespace dyad::python {

/// `Tensor.__dlpack__(*, stream, max_version, dl_device, copy)`: a versioned capsule for consumers that
/// understand version 1, else the older one, which cannot say that memory is read-only.
PyObject* tensor_dlpack(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);
/// `Tensor.__dlpack_device__()`.
PyObject* tensor_dlpack_device(PyObject* self, PyObject*);
/// `from_dlpack(source)`: a Tensor sharing the memory of a capsule or of an object with `__dlpack__`.
PyObject* from_dlpack(PyObject* module, PyObject* source);

}  // namespace dyad::python
