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
/// The blamed name instead of the owner of an error; the owner if nothing else is to blame.
std::string blamed_owner(const Error& error);

/// Raises an error of an operator again under `name`, which is what the caller wrote: a function may be
/// carried out by operators of other names, which mean nothing to its caller. An error that names no operator
/// stays as it is.
[[noreturn]] void raise_as_called(std::string_view name, const Error& error);

}  // namespace dyad::python
