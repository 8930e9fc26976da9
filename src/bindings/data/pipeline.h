#pragma once

#include <nanobind/nanobind.h>

namespace dyad::python {

/// Adds `Pipeline` and what it is built from: sources of arrays and of Python functions, `Order` and `Stage`
/// with their makers. docs/design/0010-data-pipeline.md has the table.
void add_data_pipeline(nanobind::module_& module);
/// The parts of it that make orders and sources, and those that make stages.
void add_data_orders(nanobind::module_& module);
void add_data_stages(nanobind::module_& module);

}  // namespace dyad::python
