#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "bindings/python.h"

namespace dyad::python {

/// The function that says which function of the framework the program called last: a name, or None where that
/// is the operator itself.
void set_blamed_name(PyObject* function);
/// What it says now; empty for None.
std::string blamed_name();
/// A message that opens with an operator's name, opened with the blamed name instead.
std::string blamed_message(const std::string& message);

/// Raises an error of an operator again under `name`, which is what the caller wrote: a function may be
/// carried out by operators of other names, which mean nothing to its caller. An error that names no operator
/// stays as it is.
[[noreturn]] void raise_as_called(std::string_view name, const Error& error);

}  // namespace dyad::python
