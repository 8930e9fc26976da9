#include "bindings/subscript.h"

#include "base/error.h"
#include "bindings/errors.h"
#include "bindings/tensor_object.h"

namespace dyad::python {

PyObject* tensor_row(PyObject*, Py_ssize_t) { return nullptr; }
PyObject* tensor_get(PyObject*, PyObject*) { Py_RETURN_NOTIMPLEMENTED; }
int tensor_set(PyObject*, PyObject*, PyObject*) { return -1; }
Py_ssize_t tensor_length(PyObject* self) {
  return guarded(Py_ssize_t{-1}, [&]() -> Py_ssize_t {
    const TensorImpl& tensor = *tensor_of(self);
    if (tensor.rank() == 0) type_error("len: a tensor of 0 dimensions has no length");
    return tensor.shape[0].value();
  });
}
PyObject* tensor_iterate(PyObject* self) { return PySeqIter_New(self); }
int tensor_contains(PyObject*, PyObject*) { return 0; }

}  // namespace dyad::python
