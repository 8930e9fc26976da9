#include "bindings/data/callback.h"

#include <cstring>

#include "base/error.h"
#include "bindings/data/array_copy.h"
#include "bindings/data/values.h"
#include "bindings/process/errors.h"
#include "bindings/process/last_thread.h"
#include "bindings/tensor/numpy_interface.h"
#include "bindings/tensor/tensor_object.h"

namespace nb = nanobind;

namespace dyad::python {

namespace {

constexpr Py_ssize_t kLargeArray = 64 << 10;  // bytes

/// The thread state of a thread that Python has not made, from its first callback to its end.
class KeptThreadState {
 public:
  KeptThreadState() {
    if (PyGILState_GetThisThreadState()) return;
    PyGILState_Ensure();
    state_ = PyEval_SaveThread();
  }
  KeptThreadState(const KeptThreadState&) = delete;
  KeptThreadState& operator=(const KeptThreadState&) = delete;
  ~KeptThreadState() {
    if (!state_ || !may_ask_for_lock()) return;
    PyEval_RestoreThread(state_);
    PyGILState_Release(PyGILState_UNLOCKED);
  }

 private:
  PyThreadState* state_ = nullptr;
};

void keep_thread_state() { [[maybe_unused]] static thread_local const KeptThreadState kept; }

std::string traceback_text(PyObject* error) {
  try {
    const nb::object lines = nb::module_::import_("traceback").attr("format_exception")(nb::handle(error));
    return nb::str(nb::str("").attr("join")(lines)).c_str();
  } catch (nb::python_error&) {
    return "a Python function raised an exception that cannot be shown";
  }
}

std::string explained_text(PyObject* explain, PyObject* error) {
  if (explain == Py_None) return traceback_text(error);
  const Object text = Object::take(PyObject_CallOneArg(explain, error));
  const char* words = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  if (words) return words;
  PyErr_Clear();
  return traceback_text(error);
}

/// Whether nobody but the sequence that holds it can see the array's memory.
bool is_unshared(PyObject* value) {
  if (is_tensor(value) || Py_REFCNT(value) > 1) return false;
  static PyObject* const name = PyUnicode_InternFromString("base");
  const Object base = check(PyObject_GetAttr(value, name));
  return base.get() == Py_None;
}

bool is_large(PyObject* array) {
  static PyObject* const name = PyUnicode_InternFromString("nbytes");
  const Object bytes = check(PyObject_GetAttr(array, name));
  return PyLong_AsSsize_t(bytes.get()) > kLargeArray;
}

data::Item copied(const data::Item& item) {
  const Tensor from = data::contiguous(item.tensor("dataset"));
  Tensor copy = empty(from->dtype, from->shape);
  const int64_t bytes = from->size() * itemsize(from->dtype);
  if (bytes > 0) std::memcpy(copy->data, from->data, static_cast<size_t>(bytes));
  return copy;
}

/// Large arrays are shared where that is safe.
data::Item owned_item_from(PyObject* value, bool given_away) {
  const bool has_memory = is_tensor(value) || is_numpy_array(value);
  const bool unshared = has_memory && given_away && is_unshared(value);
  data::Item item;
  if (!(unshared && is_large(value)) && copy_into_item(value, item)) return item;
  item = item_from(value);
  return has_memory && !unshared && item.is_tensor() ? copied(item) : item;
}

}  // namespace

Interpreter::Interpreter() {
  keep_thread_state();
  state_ = PyGILState_Ensure();
}

Interpreter::~Interpreter() { PyGILState_Release(state_); }

void SharedObject::drop() {
  if (!object_.ptr()) return;
  if (!may_ask_for_lock()) {
    object_.release();
    return;
  }
  const nb::gil_scoped_acquire interpreter;
  object_.reset();
}

void raise_explained(PyObject* explain) {
  std::string text;
  {
    const RaisedError raised;
    text = explained_text(explain, raised.value());
  }
  raise(ErrorKind::kRuntime, text);
}

data::Row owned_row_from(PyObject* values) {
  const bool given_away = Py_REFCNT(values) == 1;
  const Object sequence = check(PySequence_Fast(values, "a row must be a list or a tuple of columns"));
  data::Row row;
  row.reserve(static_cast<size_t>(PySequence_Fast_GET_SIZE(sequence.get())));
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence.get()); ++i)
    row.push_back(owned_item_from(PySequence_Fast_GET_ITEM(sequence.get(), i), given_away));
  return row;
}

}  // namespace dyad::python
