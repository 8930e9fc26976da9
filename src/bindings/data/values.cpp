#include "bindings/data/values.h"

#include "base/error.h"
#include "bindings/data/array_copy.h"
#include "bindings/data/callback.h"
#include "bindings/op/known_op.h"
#include "bindings/process/last_thread.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/numpy_interface.h"
#include "bindings/tensor/tensor_object.h"
#include "data/pipeline/stack.h"

namespace dyad::python {

namespace {

/// A Python object inside a row; threads without the interpreter let go of it.
class HeldObject final : public data::HostObject {
 public:
  explicit HeldObject(PyObject* object) : object_(Py_NewRef(object)) {}
  HeldObject(const HeldObject&) = delete;
  HeldObject& operator=(const HeldObject&) = delete;
  ~HeldObject() override {
    if (!may_ask_for_lock()) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(object_);
    PyGILState_Release(state);
  }
  PyObject* get() const { return object_; }

  bool stackable() const override { return PyDict_Check(object_); }
  data::Item stacked(std::string_view stage, const std::string& column,
                     const std::vector<data::Item>& values) const override;

 private:
  PyObject* object_;
};

PyObject* held(const data::Item& item) { return static_cast<const HeldObject&>(*item.object()).get(); }

Object numpy_function(const char* name) {
  const Object numpy = check(PyImport_ImportModule("numpy"));
  return check(PyObject_GetAttrString(numpy.get(), name));
}

/// 'U' for text, 'S' for bytes, 'f' for floats and so on: the kind of a NumPy array's elements.
char kind_of_array(PyObject* array) {
  const Object dtype = check(PyObject_GetAttrString(array, "dtype"));
  const Object kind = check(PyObject_GetAttrString(dtype.get(), "kind"));
  return static_cast<char>(PyUnicode_ReadChar(kind.get(), 0));
}

Shape shape_of_array(PyObject* array) {
  const Object sizes = check(PyObject_GetAttrString(array, "shape"));
  Shape shape;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(sizes.get()); ++i)
    shape.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(sizes.get(), i)));
  return shape;
}

std::string text_of(PyObject* value) {
  Py_ssize_t size = 0;
  if (PyBytes_Check(value)) return {PyBytes_AS_STRING(value), static_cast<size_t>(PyBytes_GET_SIZE(value))};
  const char* text = PyUnicode_AsUTF8AndSize(value, &size);
  if (!text) throw PythonError{};
  return {text, static_cast<size_t>(size)};
}

data::Texts texts_of_array(PyObject* array, bool binary) {
  data::Texts texts{shape_of_array(array), {}, binary};
  const Object flat = check(PyObject_CallMethod(array, "ravel", nullptr));
  const Object values = check(PyObject_CallMethod(flat.get(), "tolist", nullptr));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(values.get()); ++i)
    texts.values.push_back(text_of(PyList_GET_ITEM(values.get(), i)));
  return texts;
}

data::Item item_of_array(PyObject* array) {
  const char kind = kind_of_array(array);
  if (kind == 'U' || kind == 'S') return texts_of_array(array, kind == 'S');
  if (kind == 'O' || kind == 'M' || kind == 'm' || kind == 'V') return object_item(array);
  return with_plain_bools(tensor_over_array("dataset", array, false));
}

bool is_number_or_sequence(PyObject* value) {
  return PyBool_Check(value) || PyLong_Check(value) || PyFloat_Check(value) || PyComplex_Check(value) ||
         PyList_Check(value) || PyTuple_Check(value);
}

Object array_of_texts(const data::Texts& texts) {
  const Object values = check(PyList_New(static_cast<Py_ssize_t>(texts.values.size())));
  for (size_t i = 0; i < texts.values.size(); ++i) {
    const std::string& text = texts.values[i];
    const auto size = static_cast<Py_ssize_t>(text.size());
    PyObject* value = texts.binary ? PyBytes_FromStringAndSize(text.data(), size)
                                   : PyUnicode_DecodeUTF8(text.data(), size, "surrogateescape");
    PyList_SET_ITEM(values.get(), static_cast<Py_ssize_t>(i), check(value).release());
  }
  const Object make = numpy_function("array");
  const Object kind =
      Object::share(reinterpret_cast<PyObject*>(texts.binary ? &PyBytes_Type : &PyUnicode_Type));
  const Object flat = check(PyObject_CallFunctionObjArgs(make.get(), values.get(), kind.get(), nullptr));
  const Object shape = check(shape_object(texts.shape));
  return check(PyObject_CallMethod(flat.get(), "reshape", "(O)", shape.get()));
}

/// Dicts are stacked key by key, as the columns of rows are.
data::Item HeldObject::stacked(std::string_view stage, const std::string& column,
                               const std::vector<data::Item>& values) const {
  const Interpreter interpreter;
  const Object keys = check(PyDict_Keys(object_));
  std::vector<std::string> names;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(keys.get()); ++i) {
    const Object text = check(PyObject_Repr(PyList_GET_ITEM(keys.get(), i)));
    names.push_back(cat(column, "[", text_of(text.get()), "]"));
  }
  data::Stack stack(stage, values.size(), nullptr, names);
  for (const data::Item& value : values) {
    data::Row row;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(keys.get()); ++i) {
      PyObject* entry = PyDict_GetItemWithError(held(value), PyList_GET_ITEM(keys.get(), i));
      if (!entry && PyErr_Occurred()) throw PythonError{};
      if (!entry || PyDict_GET_SIZE(held(value)) != PyList_GET_SIZE(keys.get()))
        runtime_error(stage, ": column '", column,
                      "' has dicts of different keys; need the same in each row");
      row.push_back(item_from(entry));
    }
    stack.add(std::move(row));
  }
  const data::Row whole = stack.finish();
  const Object result = check(PyDict_New());
  for (size_t i = 0; i < whole.size(); ++i) {
    const Object entry = object_of(whole[i]);
    if (PyDict_SetItem(result.get(), PyList_GET_ITEM(keys.get(), static_cast<Py_ssize_t>(i)), entry.get()) <
        0)
      throw PythonError{};
  }
  return object_item(result.get());
}

}  // namespace

data::Item object_item(PyObject* object) {
  return std::shared_ptr<const data::HostObject>(std::make_shared<HeldObject>(object));
}

data::Item item_from(PyObject* value) {
  if (is_tensor(value)) return readable(tensor_of(value));
  if (PyUnicode_Check(value) || PyBytes_Check(value))
    return data::one_text(text_of(value), PyBytes_Check(value) != 0);
  if (is_numpy_array(value)) return item_of_array(value);
  if (is_numpy_scalar(value) || is_number_or_sequence(value)) {
    const Object make = numpy_function("asarray");
    const Object array = Object::take(PyObject_CallOneArg(make.get(), value));
    if (array) return item_of_array(array.get());
    PyErr_Clear();  // a list of lists of several lengths, say: it is handed on as it is
  }
  return object_item(value);
}

Object object_of(const data::Item& item) {
  if (item.is_texts()) return array_of_texts(item.texts("dataset"));
  if (item.is_object()) return Object::share(held(item));
  if (Object small = small_array_of(item.tensor("dataset"))) return small;
  const Object tensor = check(wrap(item.tensor("dataset")));
  return check(PyObject_CallMethod(tensor.get(), "asnumpy", nullptr));
}

Object tensor_object_of(const data::Item& item) {
  return item.is_tensor() ? check(wrap(on_chosen_device(item.tensor("dataset")))) : object_of(item);
}

data::Row row_from(PyObject* values) {
  const Object sequence = check(PySequence_Fast(values, "columns must be a list or a tuple"));
  data::Row row;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence.get()); ++i)
    row.push_back(item_from(PySequence_Fast_GET_ITEM(sequence.get(), i)));
  return row;
}

Object tuple_of(const data::Row& row) {
  Object tuple = check(PyTuple_New(static_cast<Py_ssize_t>(row.size())));
  for (size_t i = 0; i < row.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), object_of(row[i]).release());
  return tuple;
}

}  // namespace dyad::python
