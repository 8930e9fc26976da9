#pragma once

#include <nanobind/nanobind.h>

namespace dyad::python {

/// Shows the operator table to Python: `op_table()` describes every operator for tests, stubs and documents,
/// `op_functions()`, `op_methods()` and `op_primitives()` give the callables that the package is made of.
void add_op_table(nanobind::module_& module);

}  // namespace dyad::python
