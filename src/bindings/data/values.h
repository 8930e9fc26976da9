#pragma once

#include <nanobind/nanobind.h>

#include "bindings/python.h"
#include "data/rows/attributes.h"
#include "data/rows/item.h"

namespace dyad::python {

/// What a pipeline holds for a Python value. Arrays, NumPy scalars and Tensors keep their memory; numbers and
/// lists of them become arrays as `numpy.asarray` makes them; str, bytes and arrays of them are texts;
/// anything else is handed on as it is.
data::Item item_from(PyObject* value);
/// A Python object handed on as it is.
data::Item object_item(PyObject* value);
/// The Python value of an item: a NumPy array, which shares the item's memory unless it is small, or the
/// object itself.
Object object_of(const data::Item& item);
/// The same with a Tensor for an array.
Object tensor_object_of(const data::Item& item);

/// The items of a sequence of values.
data::Row row_from(PyObject* values);
/// A tuple of the values of a row.
Object tuple_of(const data::Row& row);

/// The attributes of a transform or of a source, from a dict of Python values.
data::Attributes attributes_from(const nanobind::dict& values);

}  // namespace dyad::python
