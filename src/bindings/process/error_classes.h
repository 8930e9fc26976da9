#pragma once

#include <string>

#include "bindings/python.h"

namespace dyad::python {

/// Refuses an int beyond 64 bits, which a message calls by this name: an OverflowError and a RuntimeError.
[[noreturn]] void raise_too_wide(const char* name, PyObject* number);

/// Refuses a mask that does not cover dimensions of its sizes: an IndexError and a ValueError.
[[noreturn]] void raise_mask_mismatch(const std::string& message);

/// Refuses a tensor where an int is meant: a TypeError, on which Python tries other ways, and a ValueError.
[[noreturn]] void raise_no_index(const std::string& message);

}  // namespace dyad::python
