#pragma once

#include "bindings/python.h"

namespace dyad::python {

/// Adds the class that an int beyond 64 bits is refused with: an OverflowError as Python and NumPy have it,
/// and a RuntimeError as MindSpore raises, so that programs written for either catch it.
void add_too_wide_error(PyObject* module);

/// Refuses an int that a message calls by this name.
[[noreturn]] void raise_too_wide(const char* name, PyObject* number);

}  // namespace dyad::python
