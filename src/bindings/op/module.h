#pragma once

#include <nanobind/nanobind.h>

namespace dyad::python {

// Everything that this folder adds to `dyad._core`; module.cpp calls it in order.

/// Adds the type `OpFunction`: a face of an operator as a Python callable. Put on a class it binds like a
/// function.
void add_op_function_type(PyObject* module);
/// Shows the operator table to Python: `op_table()` describes every operator for tests, stubs and documents,
/// `op_functions()`, `op_methods()` and `op_primitives()` give the callables that the package is made of.
void add_op_table(nanobind::module_& module);
/// Shows an operator's rules one by one, for the tests that walk the table: `named_op` (its own face, also
/// where no function of `ops` shows it), `infer` on placeholders, `run_gradient_rule`.
void add_op_rules(nanobind::module_& module);
/// Adds what Python needs of the tape: transforms, leaves, hooks, nodes written in Python.
void add_tape(nanobind::module_& module);

}  // namespace dyad::python
