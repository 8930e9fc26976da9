#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "capture/record/recording.h"

namespace dyad::python {

/// What a value of a graph will be, from an example: a Tensor, a number or its type, a GraphNumber, or
/// (dtype, shape) with None for an open size.
record::Like like_from(const char* function, nanobind::handle object);
std::vector<record::Like> likes_from(const char* function, nanobind::handle objects);
/// Opens sizes of a shape: `open` is a dict or pairs of axis and name.
void open_sizes(const char* function, nanobind::handle open, Shape& shape);

}  // namespace dyad::python
