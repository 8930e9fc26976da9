#pragma once

#include <nanobind/nanobind.h>

#include "data/rows/attributes.h"

namespace dyad::python {

/// The attributes of a transform or of a source, from a dict of Python values.
data::Attributes attributes_from(const nanobind::dict& values);

/// Adds `Transform`, `make_transform`, `transform_names`, `python_transform`, `Source` and `open_source`.
void add_data_transforms(nanobind::module_& module);

}  // namespace dyad::python
