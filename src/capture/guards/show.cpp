#include "capture/guards/show.h"

#include "base/text.h"
#include "capture/guards/lookup.h"
#include "capture/guards/tensor_access.h"

namespace dyad::guards {

namespace {

constexpr Py_ssize_t kLongest = 80;
constexpr int kDeepest = 4;

/// Whether `repr` of the value is Python's own code, and short enough to be asked for.
bool has_plain_repr(PyObject* object, int depth = 0) {
  if (depth > kDeepest) return false;
  if (PyTuple_CheckExact(object) || PyList_CheckExact(object)) {
    const Py_ssize_t size = length_of(object);
    if (size > kLongest) return false;
    for (Py_ssize_t i = 0; i < size; ++i) {
      PyObject* item = PyTuple_CheckExact(object) ? PyTuple_GET_ITEM(object, i) : PyList_GET_ITEM(object, i);
      if (!has_plain_repr(item, depth + 1)) return false;
    }
    return true;
  }
  if (PyDict_CheckExact(object)) {
    if (PyDict_GET_SIZE(object) > kLongest) return false;
    Entries entries(object);
    for (PyObject *key, *value; entries.next(key, value);) {
      if (!has_plain_repr(key, depth + 1) || !has_plain_repr(value, depth + 1)) return false;
    }
    return true;
  }
  if (PySlice_Check(object)) {
    auto* slice = reinterpret_cast<PySliceObject*>(object);
    return has_plain_repr(slice->start) && has_plain_repr(slice->stop) && has_plain_repr(slice->step);
  }
  return object == Py_None || object == Py_Ellipsis || PyBool_Check(object) || PyLong_CheckExact(object) ||
         PyFloat_CheckExact(object) || PyComplex_CheckExact(object) || PyUnicode_CheckExact(object) ||
         PyBytes_CheckExact(object) || PyRange_Check(object) || tensor_access().is_dtype(object);
}

/// The name of a function, class or module.
std::string name_of(PyObject* object) {
  if (PyType_Check(object)) return reinterpret_cast<PyTypeObject*>(object)->tp_name;
  if (PyFunction_Check(object)) return text_of(reinterpret_cast<PyFunctionObject*>(object)->func_qualname);
  if (PyModule_CheckExact(object)) {
    const char* name = PyModule_GetName(object);
    if (name) return cat("module ", name);
    PyErr_Clear();
  }
  return {};
}

}  // namespace

std::string text_of(PyObject* str) {
  Py_ssize_t size = 0;
  const char* text = str && PyUnicode_Check(str) ? PyUnicode_AsUTF8AndSize(str, &size) : nullptr;
  if (text) return {text, static_cast<size_t>(size)};
  PyErr_Clear();
  return "?";
}

std::string show(PyObject* object) {
  TensorForm form;
  if (tensor_access().form(object, form))
    return cat(form.dtype, " ", Py_TYPE(object)->tp_name, " of shape ", *form.shape);
  if (std::string name = name_of(object); !name.empty()) return name;
  if (has_plain_repr(object)) {
    PyObject* text = PyObject_Repr(object);
    const std::string shown = text && PyUnicode_GET_LENGTH(text) <= kLongest ? text_of(text) : "";
    Py_XDECREF(text);
    PyErr_Clear();
    if (!shown.empty()) return shown;
  }
  const Py_ssize_t length = length_of(object);
  if (length >= 0) return cat(Py_TYPE(object)->tp_name, " of length ", length);
  return cat("an object of type ", Py_TYPE(object)->tp_name);
}

}  // namespace dyad::guards
