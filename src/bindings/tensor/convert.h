#pragma once

#include <string>
#include <string_view>

#include "bindings/python.h"
#include "tensor/tensor.h"
#include "types/arg.h"
#include "types/dtype.h"

namespace dyad::python {

/// The Python number of a tensor's only element: bool, int, float or complex.
Object number_object(const Tensor& tensor, std::string_view reader = "item");
PyObject* number_object(const Scalar& scalar);
/// A tuple of ints.
PyObject* shape_object(const Shape& shape);
/// The Python form of an attribute (number, tuple, str, dtype, None, Tensor).
PyObject* arg_object(const Arg& arg);
/// How an object reads in an error message: its value for small things, else its type.
std::string describe(PyObject* object);

/// The object of a dtype; a new reference. There is one per dtype, so identity is equality.
PyObject* dtype_object(DType dtype);
bool is_dtype(PyObject* object);
DType dtype_of(PyObject* object);

/// The tensor, or a copy in host memory where it lies on a device. Other threads of Python run while the
/// device is waited for.
Tensor readable(const Tensor& tensor);

/// The only element; `reader` opens the message where there is not exactly one. Waits like `readable`.
Scalar read_item(const Tensor& tensor, std::string_view reader = "item");

}  // namespace dyad::python
