#pragma once

#include <string>

#include "bindings/python.h"

namespace dyad::python {

/// Adds classes of errors that are two at once, so that programs written for Python and NumPy catch them, and
/// programs written for MindSpore.
void add_error_classes(PyObject* module);

/// Refuses an int beyond 64 bits, which a message calls by this name: an OverflowError and a RuntimeError.
[[noreturn]] void raise_too_wide(const char* name, PyObject* number);

/// Refuses a mask that does not cover dimensions of its sizes: an IndexError and a ValueError.
[[noreturn]] void raise_mask_mismatch(const std::string& message);

/// Refuses a tensor where an int is meant: a TypeError, on which Python tries other ways, and a ValueError.
[[noreturn]] void raise_no_index(const std::string& message);

}  // namespace dyad::python
