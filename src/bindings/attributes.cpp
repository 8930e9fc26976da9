#include "bindings/attributes.h"

#include "bindings/convert.h"
#include "bindings/dtype_object.h"
#include "bindings/errors.h"
#include "bindings/tensor_object.h"

namespace dyad::python {

namespace {

PyObject* get_shape(PyObject* self, void*) {
  return guarded([&] { return shape_object(tensor_of(self)->shape); });
}
PyObject* get_dtype(PyObject* self, void*) {
  return guarded([&] { return dtype_object(tensor_of(self)->dtype); });
}
PyObject* get_ndim(PyObject* self, void*) {
  return guarded([&] { return PyLong_FromLongLong(tensor_of(self)->rank()); });
}
PyObject* get_size(PyObject* self, void*) {
  return guarded([&] { return PyLong_FromLongLong(tensor_of(self)->size()); });
}

PyGetSetDef attributes[] = {
    {"shape", get_shape, nullptr, "Sizes of the dimensions, a tuple.", nullptr},
    {"dtype", get_dtype, nullptr, "Type of the elements.", nullptr},
    {"ndim", get_ndim, nullptr, "Number of dimensions.", nullptr},
    {"size", get_size, nullptr, "Number of elements.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyObject* method_item(PyObject* self, PyObject*) {
  return guarded([&] { return number_object(*tensor_of(self)).release(); });
}

PyMethodDef methods[] = {
    {"item", method_item, METH_NOARGS, "The only element as a Python number."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyGetSetDef* tensor_attributes() { return attributes; }
PyMethodDef* tensor_methods() { return methods; }

}  // namespace dyad::python
