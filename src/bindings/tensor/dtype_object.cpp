#include "bindings/tensor/convert.h"

#include "bindings/tensor/module.h"

#include <string>

namespace dyad::python {

namespace {

struct DTypeObject {
  PyObject_HEAD DType dtype;
};

PyTypeObject* dtype_type = nullptr;
PyObject* objects[kDTypeCount];

PyObject* dtype_str(PyObject* self) {
  const auto title = dtype_title(dtype_of(self));
  return PyUnicode_FromStringAndSize(title.data(), static_cast<Py_ssize_t>(title.size()));
}

PyObject* dtype_repr(PyObject* self) {
  return PyUnicode_FromFormat("dyad.%s", std::string(dtype_name(dtype_of(self))).c_str());
}

PyObject* dtype_reduce(PyObject* self, PyObject*) {
  return PyUnicode_FromString(std::string(dtype_name(dtype_of(self))).c_str());
}

PyObject* dtype_itemsize(PyObject* self, void*) { return PyLong_FromLongLong(itemsize(dtype_of(self))); }
PyObject* dtype_name_get(PyObject* self, void*) { return dtype_reduce(self, nullptr); }

PyObject* flag(bool value) { return PyBool_FromLong(value); }
PyObject* dtype_is_floating(PyObject* self, void*) { return flag(is_float(dtype_of(self))); }
PyObject* dtype_is_complex(PyObject* self, void*) { return flag(is_complex(dtype_of(self))); }
PyObject* dtype_is_signed(PyObject* self, void*) {
  const DType d = dtype_of(self);
  return flag(is_signed_int(d) || is_float(d) || is_complex(d));
}

PyGetSetDef attributes[] = {
    {"itemsize", dtype_itemsize, nullptr, "Bytes of one element.", nullptr},
    {"name", dtype_name_get, nullptr, "Name of the constant, such as 'float32'.", nullptr},
    {"is_floating_point", dtype_is_floating, nullptr, "Whether it is a real floating-point type.", nullptr},
    {"is_complex", dtype_is_complex, nullptr, "Whether it is a complex type.", nullptr},
    {"is_signed", dtype_is_signed, nullptr, "Whether it has negative values.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"__reduce__", dtype_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_repr, reinterpret_cast<void*>(dtype_repr)},
    {Py_tp_str, reinterpret_cast<void*>(dtype_str)},
    {Py_tp_getset, attributes},
    {Py_tp_methods, methods},
    {Py_tp_doc, const_cast<char*>("The type of a tensor's elements.")},
    {0, nullptr},
};

PyType_Spec spec = {"dyad._core.DType", sizeof(DTypeObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE, slots};

}  // namespace

void add_dtypes(PyObject* module) {
  Object type = check(PyType_FromSpec(&spec));
  dtype_type = reinterpret_cast<PyTypeObject*>(type.get());
  for (int i = 0; i < kDTypeCount; ++i) {
    objects[i] = check(dtype_type->tp_alloc(dtype_type, 0)).release();
    reinterpret_cast<DTypeObject*>(objects[i])->dtype = static_cast<DType>(i);
    const std::string name(dtype_name(static_cast<DType>(i)));
    if (PyModule_AddObjectRef(module, name.c_str(), objects[i]) < 0) throw PythonError{};
  }
  if (PyModule_AddObjectRef(module, "DType", type.release()) < 0) throw PythonError{};
}

PyObject* dtype_object(DType dtype) { return Py_NewRef(objects[static_cast<size_t>(dtype)]); }
bool is_dtype(PyObject* object) { return Py_TYPE(object) == dtype_type; }
DType dtype_of(PyObject* object) { return reinterpret_cast<DTypeObject*>(object)->dtype; }

}  // namespace dyad::python
