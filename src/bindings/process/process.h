#pragma once

#include <nanobind/nanobind.h>

namespace dyad::python {

/// Connects long work with the interpreter: it releases the global lock and notices Ctrl-C.
void watch_host();
/// Process-wide state: mode, device, seed, threads, memory statistics.
void add_process(nanobind::module_& module);

}  // namespace dyad::python
