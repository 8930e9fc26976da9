#pragma once

#include <nanobind/nanobind.h>

namespace dyad::python {

// Everything that this folder adds to `dyad._core`; module.cpp calls it in order.

/// Adds classes of errors that are two at once, so that programs written for Python and NumPy catch them, and
/// programs written for MindSpore.
void add_error_classes(PyObject* module);
/// Connects long work with the interpreter: it releases the global lock and notices Ctrl-C.
void watch_host();
/// Process-wide state: mode, device, seed, threads, memory statistics.
void add_process(nanobind::module_& module);
/// Lets errors that a device finds later tell the line of the program that asked for the kernel.
void add_launch_place(nanobind::module_& module);
/// Streams and events of a GPU, for `dyad.runtime`.
void add_streams(nanobind::module_& module);
/// `start_profile` and `stop_profile`: every kernel that runs in between, with its line of the program.
void add_profile(nanobind::module_& module);

}  // namespace dyad::python
