#pragma once

#include "bindings/python.h"
#include "tensor/tensor.h"

namespace dyad::python {

// NumPy is known by its Python face and the buffer protocol only: no NumPy header is needed to build, and a
// program that does not import NumPy does not pay for it.

/// Whether the object is a NumPy array.
bool is_numpy_array(PyObject* object);
/// Whether the object is a NumPy scalar: np.float32(1), but np.datetime64('2020') and np.str_('a') too.
bool is_numpy_scalar(PyObject* object);
/// Whether it is a NumPy scalar that is a number or a bool.
bool is_numpy_number(PyObject* object);
/// Reads np.dtype('float32') or np.float32; false for anything else.
bool numpy_dtype_from(PyObject* object, DType& out);
/// The name NumPy knows the dtype by; bfloat16 has none: null.
const char* numpy_dtype_name(DType dtype);

/// A tensor over the memory of an array or NumPy scalar, which stays alive with it. An element type that is
/// not ours is a TypeError. Arrays whose memory cannot be shared (swapped bytes, elements not aligned) are
/// copied, unless `must_share`, which makes that a ValueError. `op` opens the error messages.
Tensor tensor_over_array(const char* op, PyObject* array, bool must_share);

/// Bools from outside may be any byte, of which all but 0 mean true; kernels count on 0 and 1. Writes 1 for
/// the others, into the same memory where that may be written, so that it stays shared, or into a copy.
Tensor with_plain_bools(Tensor tensor);

}  // namespace dyad::python
