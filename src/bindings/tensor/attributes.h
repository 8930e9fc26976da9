#pragma once

#include "bindings/python.h"

namespace dyad::python {

/// Attributes and methods of Tensor that are no operators: shape, dtype, strides, item(), …
PyGetSetDef* tensor_attributes();
PyMethodDef* tensor_methods();

}  // namespace dyad::python
