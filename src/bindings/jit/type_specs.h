#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "capture/tracing/graph_tracer.h"

namespace dyad::python {

/// What a value of a graph will be, from an example: a Tensor, a number or its type, a GraphNumber, or
/// (dtype, shape) with None for a symbolic dimension.
tracing::TypeSpec type_spec_from(const char* function, nanobind::handle object);
std::vector<tracing::TypeSpec> type_specs_from(const char* function, nanobind::handle objects);
/// Opens sizes of a shape: `open` is a dict or pairs of axis and name.
void symbolic_dims(const char* function, nanobind::handle open, Shape& shape);

}  // namespace dyad::python
