#pragma once

#include "bindings/python.h"

namespace dyad::python {

/// The buffer protocol: `memoryview(x)` and `numpy.asarray(x)` share the tensor's memory.
int tensor_getbuffer(PyObject* self, Py_buffer* view, int flags);
void tensor_releasebuffer(PyObject* self, Py_buffer* view);

}  // namespace dyad::python
