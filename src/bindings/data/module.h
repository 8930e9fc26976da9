#pragma once

#include <nanobind/nanobind.h>

namespace dyad::python {

// Everything that this folder adds to `dyad._core`; module.cpp calls it in order.

/// Adds `Transform`, `make_transform`, `transform_names`, `python_transform`, `Source` and `open_source`.
void add_data_transforms(nanobind::module_& module);
/// Adds `Pipeline` and what it is built from: sources of arrays and of Python functions, `Order` and `Stage`
/// with their makers. docs/design/0010-data-pipeline.md has the table.
void add_data_pipeline(nanobind::module_& module);
/// The parts of it that make orders and sources, and those that make stages.
void add_data_orders(nanobind::module_& module);
void add_data_stages(nanobind::module_& module);

}  // namespace dyad::python
