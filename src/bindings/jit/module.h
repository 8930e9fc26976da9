#pragma once

#include <nanobind/nanobind.h>

namespace dyad::python {

// Everything that this folder adds to `dyad._core`; module.cpp calls it in order.

/// Adds `_core.Program`.
void add_program(nanobind::module_& module);
/// `observe_compilations(observer)`: the observer's `begin(name, purpose)`, `look(stage)` and `end()` are
/// called while graphs are compiled.
void add_progress(nanobind::module_& module);
/// Adds `GuardTree`, the process state that guards can read, and `memory_overlaps`.
void add_guard_tree(nanobind::module_& module);
/// Adds `CompiledEntry`.
void add_compiled_entry(nanobind::module_& module);
/// Adds `CompiledFunction`: a callable that finds, among its compiled forms, the one whose guards hold for a
/// call and runs it, and asks `miss(function, args, kwargs)` when none does.
void add_compiled_function(PyObject* module);
/// Adds `_core.Graph`, a program that is being captured, and what belongs to it: `GraphNumber`,
/// `CaptureError`, `SymbolicDimError`, `current_graph()`, `is_symbolic()`.
void add_graph(nanobind::module_& module);
void add_graph_number(nanobind::module_& module);
/// Adds `_core.parse_graph`: the text of a graph as a graph that can be checked, compiled and run.
void add_parsed_graph(nanobind::module_& module);

}  // namespace dyad::python
