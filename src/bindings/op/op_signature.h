#pragma once

#include "bindings/python.h"
#include "ops/op.h"

namespace dyad::python {

/// The `inspect.Signature` of a face; a new reference. `is_method`: `self` comes first.
PyObject* signature_object(const Op& op, const Face& face, bool is_method);

}  // namespace dyad::python
