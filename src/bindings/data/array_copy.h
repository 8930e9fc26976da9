#pragma once

#include "bindings/python.h"
#include "data/rows/item.h"

namespace dyad::python {

// Small values cross between Python and a pipeline as copies: sharing memory takes longer, since the other
// side has to be told when it ends.

/// Copies an array, a NumPy number, an int or a float into an item. False, with nothing done, where the value
/// is of another kind or needs more than its bytes moved.
bool copy_into_item(PyObject* value, data::Item& item);

/// A NumPy array with a copy of a tensor's elements; empty for a tensor that is large or of a dtype that
/// NumPy has not.
Object small_array_of(const Tensor& tensor);

}  // namespace dyad::python
