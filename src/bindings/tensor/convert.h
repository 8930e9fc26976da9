#pragma once

#include "bindings/python.h"
#include "tensor/tensor.h"
#include "types/arg.h"

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

}  // namespace dyad::python
