#include "bindings/data/array_copy.h"

#include <cstring>

#include "bindings/tensor/convert.h"
#include "bindings/tensor/numpy_interface.h"

namespace dyad::python {

namespace {

constexpr int64_t kSmallArray = 16 << 10;  // bytes

/// What `__array_struct__` of an array holds: NumPy's array interface, version 3.
struct ArrayStruct {
  int version;
  int rank;
  char kind;
  int itemsize;
  int flags;
  Py_ssize_t* shape;
  Py_ssize_t* strides;
  void* data;
};
constexpr int kContiguous = 0x1;
constexpr int kNativeOrder = 0x200;

/// The struct of an array or of a NumPy number, which lives as long as the capsule that is returned.
Object struct_of(PyObject* value, const ArrayStruct*& out) {
  static PyObject* const name = PyUnicode_InternFromString("__array_struct__");
  Object capsule = Object::take(PyObject_GetAttr(value, name));
  out = capsule ? static_cast<const ArrayStruct*>(PyCapsule_GetPointer(capsule.get(), nullptr)) : nullptr;
  if (!out) PyErr_Clear();
  return capsule;
}

/// Bools are left out: their bytes may hold other numbers than 0 and 1.
bool dtype_of(const ArrayStruct& array, DType& out) {
  for (int i = 0; i < kDTypeCount; ++i) {
    out = static_cast<DType>(i);
    if (itemsize(out) != array.itemsize || out == DType::kBFloat16) continue;
    if ((array.kind == 'i' && is_signed_int(out)) || (array.kind == 'u' && is_unsigned_int(out)) ||
        (array.kind == 'f' && is_float(out)) || (array.kind == 'c' && is_complex(out)))
      return true;
  }
  return false;
}

bool copy_array(PyObject* value, data::Item& item) {
  const ArrayStruct* array = nullptr;
  const Object capsule = struct_of(value, array);
  DType dtype;
  if (!array || (array->flags & kContiguous) == 0 || (array->flags & kNativeOrder) == 0) return false;
  if (!dtype_of(*array, dtype)) return false;
  Shape shape;
  for (int i = 0; i < array->rank; ++i) shape.push_back(array->shape[i]);
  Tensor copy = empty(dtype, shape);
  const int64_t bytes = numel(shape) * itemsize(dtype);
  if (bytes > 0) std::memcpy(copy->data, array->data, static_cast<size_t>(bytes));
  item = std::move(copy);
  return true;
}

bool copy_int(PyObject* value, data::Item& item) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow != 0) return false;
  item = data::one_number<int64_t>(DType::kInt64, number);
  return true;
}

/// An attribute of NumPy, which stays with the process.
PyObject* numpy_attribute(const char* name) {
  const Object numpy = check(PyImport_ImportModule("numpy"));
  return check(PyObject_GetAttrString(numpy.get(), name)).release();
}

PyObject* numpy_dtype(DType dtype) {
  static PyObject* known[kDTypeCount] = {};
  PyObject*& found = known[static_cast<int>(dtype)];
  if (!found) {
    static PyObject* const make = numpy_attribute("dtype");
    found = check(PyObject_CallFunction(make, "s", numpy_dtype_name(dtype))).release();
  }
  return found;
}

}  // namespace

bool copy_into_item(PyObject* value, data::Item& item) {
  if (PyLong_CheckExact(value)) return copy_int(value, item);
  if (PyFloat_CheckExact(value)) {
    item = data::one_number<double>(DType::kFloat64, PyFloat_AS_DOUBLE(value));
    return true;
  }
  return (is_numpy_array(value) || is_numpy_number(value)) && copy_array(value, item);
}

Object small_array_of(const Tensor& tensor) {
  const int64_t bytes = tensor->size() * itemsize(tensor->dtype);
  if (bytes > kSmallArray || !numpy_dtype_name(tensor->dtype)) return {};
  static PyObject* const make = numpy_attribute("empty");
  const Object shape = check(shape_object(tensor->shape));
  Object array = check(PyObject_CallFunctionObjArgs(make, shape.get(), numpy_dtype(tensor->dtype), nullptr));
  const ArrayStruct* target = nullptr;
  const Object capsule = struct_of(array.get(), target);
  if (!target) return {};
  if (bytes > 0) std::memcpy(target->data, data::contiguous(tensor)->data, static_cast<size_t>(bytes));
  return array;
}

}  // namespace dyad::python
