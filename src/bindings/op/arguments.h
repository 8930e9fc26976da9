#pragma once

#include <string_view>

#include "bindings/python.h"
#include "ops/signature.h"

namespace dyad::python {

/// Reads a tensor, a number or a list of numbers; false (and no Python error) for anything else.
bool operand_from(PyObject* object, Arg& out);
/// Reads a Python or NumPy number; false for anything else. An int beyond 64 bits is an OverflowError.
bool number_from(PyObject* object, Scalar& out);
/// Reads an argument of a parameter. Anything that does not fit is a TypeError naming operator, parameter,
/// what was given and what is accepted.
void argument_from(std::string_view op, const Param& param, PyObject* object, Arg& out);
/// Reads an int, a sequence of ints or an integer tensor; false for anything else.
bool dims_from(PyObject* object, Dims& out);
/// Reads a framework dtype, its name, a NumPy dtype or scalar class, or one of bool, int, float, complex;
/// false for anything else.
bool dtype_from(PyObject* object, DType& out);

}  // namespace dyad::python
