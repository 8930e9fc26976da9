#pragma once

#include "bindings/python.h"
#include "ops/op.h"

namespace dyad::python {

/// The callable of a face. `is_method`: the first argument is `self`, the operator's first parameter.
/// `in_place`: the result is written into `self`, which is returned.
PyObject* make_op_function(const Op& op, const Face& face, bool is_method, bool in_place);

/// The operator whose face a Python callable is; null if it is another object.
const Op* op_behind(PyObject* function);

/// Makes `further` the form that is tried when the arguments do not fit `function` or the forms after it.
void add_form(PyObject* function, PyObject* further);

/// The `inspect.Signature` of a face; a new reference. `is_method`: `self` comes first.
PyObject* signature_object(const Op& op, const Face& face, bool is_method);

}  // namespace dyad::python
