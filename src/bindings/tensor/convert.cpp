#include "bindings/tensor/convert.h"

#include <nanobind/nanobind.h>

#include "base/text.h"
#include "bindings/tensor/tensor_object.h"
#include "tensor/transfer.h"

namespace dyad::python {

PyObject* number_object(const Scalar& scalar) {
  switch (scalar.kind()) {
    case Scalar::Kind::kBool:
      return PyBool_FromLong(scalar.to_bool());
    case Scalar::Kind::kInt:
      return PyLong_FromLongLong(scalar.to_int());
    case Scalar::Kind::kFloat:
      return PyFloat_FromDouble(scalar.to_double());
    case Scalar::Kind::kComplex:
      return PyComplex_FromDoubles(scalar.to_complex().real(), scalar.to_complex().imag());
  }
  return nullptr;
}

Object number_object(const Tensor& tensor, std::string_view reader) {
  const DType dtype = tensor->dtype;
  const Scalar scalar = read_item(tensor, reader);
  if (dtype == DType::kUInt64)
    return check(PyLong_FromUnsignedLongLong(static_cast<uint64_t>(scalar.to_int())));
  return check(number_object(scalar));
}

PyObject* shape_object(const Shape& shape) {
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(shape.size()));
  if (!tuple) throw PythonError{};
  for (size_t i = 0; i < shape.size(); ++i) {
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i),
                     PyLong_FromLongLong(shape[i].known() ? shape[i].value() : -1));
  }
  return tuple;
}

PyObject* arg_object(const Arg& arg) {
  if (auto* value = arg.get<Value>()) return wrap(*value);
  if (auto* number = arg.get<Scalar>()) return number_object(*number);
  if (auto* dims = arg.get<Dims>()) return shape_object(*dims);
  if (auto* dtype = arg.get<DType>()) return dtype_object(*dtype);
  if (auto* text = arg.get<std::string>()) return PyUnicode_FromString(text->c_str());
  if (auto* numbers = arg.get<Floats>()) {
    Object tuple = check(PyTuple_New(static_cast<Py_ssize_t>(numbers->size())));
    for (size_t i = 0; i < numbers->size(); ++i) {
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), PyFloat_FromDouble((*numbers)[i]));
    }
    return tuple.release();
  }
  if (auto* values = arg.get<ValueList>()) {
    Object tuple = check(PyTuple_New(static_cast<Py_ssize_t>(values->size())));
    for (size_t i = 0; i < values->size(); ++i) {
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i),
                       (*values)[i] ? wrap((*values)[i]) : Py_NewRef(Py_None));
    }
    return tuple.release();
  }
  return Py_NewRef(Py_None);
}

std::string describe(PyObject* object) {
  constexpr Py_ssize_t kLongest = 60;
  const bool small = object == Py_None || PyUnicode_Check(object) || PyLong_Check(object) ||
                     PyFloat_Check(object) || PyComplex_Check(object) || is_dtype(object) ||
                     PyTuple_Check(object) || PyList_Check(object);
  if (is_tensor(object)) {
    const Tensor& tensor = tensor_of(object);
    return cat(with_article(tensor->dtype), " Tensor of shape ", tensor->shape);
  }
  if (small) {
    Object text = Object::take(PyObject_Repr(object));
    if (text && PyUnicode_GET_LENGTH(text.get()) <= kLongest) {
      if (const char* utf8 = PyUnicode_AsUTF8(text.get())) return utf8;
    }
    PyErr_Clear();
  }
  return cat("of type ", Py_TYPE(object)->tp_name);
}

Tensor readable(const Tensor& tensor) {
  if (tensor->device.kind == DeviceKind::kCpu) return tensor;
  const Tensor here = alias_of(*tensor);  // another thread may give the tensor other data meanwhile
  const nanobind::gil_scoped_release meanwhile;
  return on_host(*here);
}

Scalar read_item(const Tensor& tensor, std::string_view reader) {
  const bool waits = tensor->device.kind != DeviceKind::kCpu && !tensor->symbolic &&
                     all_known(tensor->shape) && tensor->size() == 1;
  if (!waits) return item(*tensor, reader);
  require_data(reader, *tensor);
  return item(*readable(tensor), reader);
}

}  // namespace dyad::python
