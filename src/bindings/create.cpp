#include "bindings/create.h"

#include <cstring>

#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/convert.h"
#include "bindings/dtype_object.h"
#include "bindings/tensor_object.h"
#include "eager/dispatch.h"

namespace dyad::python {

namespace {

Tensor from_buffer(PyObject* data) {
  Py_buffer view;
  if (PyObject_GetBuffer(data, &view, PyBUF_STRIDED_RO | PyBUF_FORMAT) < 0) throw PythonError{};
  Shape shape;
  for (int i = 0; i < view.ndim; ++i) shape.push_back(view.shape[i]);
  DType dtype = DType::kFloat32;
  const char format = view.format[std::strlen(view.format) - 1];
  if (format == 'f') dtype = DType::kFloat32;
  if (format == 'd') dtype = DType::kFloat64;
  if (format == 'l') dtype = DType::kInt64;
  if (format == 'i') dtype = DType::kInt32;
  if (format == '?') dtype = DType::kBool;
  Tensor tensor = empty(dtype, shape);
  PyBuffer_ToContiguous(tensor->data, &view, view.len, 'C');
  PyBuffer_Release(&view);
  return tensor;
}

}  // namespace

Tensor tensor_from_call(PyObject* args, PyObject*) { return tensor_from_data(PyTuple_GET_ITEM(args, 0)); }

Tensor tensor_from_data(PyObject* data) {
  if (PyObject_CheckBuffer(data)) return from_buffer(data);
  Scalar number;
  if (!number_from(data, number)) type_error("Tensor: input_data is ", describe(data));
  Tensor tensor = empty(default_dtype(number), {});
  store(number, tensor->dtype, tensor->data);
  return tensor;
}

bool is_numpy_number(PyObject*) { return false; }
bool numpy_dtype_from(PyObject*, DType&) { return false; }

}  // namespace dyad::python
