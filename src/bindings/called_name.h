#pragma once

#include <string_view>

#include "base/error.h"

namespace dyad::python {

/// Raises an error of an operator again under `name`, which is what the caller wrote: a function may be
/// carried out by operators of other names, which mean nothing to its caller. An error that names no operator
/// stays as it is.
[[noreturn]] void raise_as_called(std::string_view name, const Error& error);

}  // namespace dyad::python
