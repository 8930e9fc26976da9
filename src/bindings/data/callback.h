#pragma once

#include <nanobind/nanobind.h>

#include "bindings/python.h"
#include "data/rows/item.h"

namespace dyad::python {

/// Holds the global lock; for threads of a pipeline, which have none. A thread keeps its thread state from
/// the first time on, since making one takes longer than many a callback.
class Interpreter {
 public:
  Interpreter();
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Raises the Python error that is set as a RuntimeError with the text that `explain(exception)` gives, or
/// with the traceback where `explain` is None.
[[noreturn]] void raise_explained(PyObject* explain);

/// A reference to a Python object that any thread may drop.
class SharedObject {
 public:
  SharedObject() = default;
  explicit SharedObject(nanobind::object object) : object_(std::move(object)) {}
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;
  ~SharedObject() { drop(); }

  PyObject* get() const { return object_.ptr(); }
  /// Takes over another one, with the global lock.
  void set(Object object) { object_ = nanobind::steal(object.release()); }
  void drop();

 private:
  nanobind::object object_;
};

/// A Python function that threads of a pipeline call. What it raises becomes a RuntimeError with the text
/// that `explain(exception)` gives, or with the traceback where `explain` is None.
class Callback {
 public:
  Callback(nanobind::object function, nanobind::object explain)
      : function_(std::move(function)), explain_(std::move(explain)) {}

  /// The result of a call, with the global lock.
  template <class... Arguments>
  Object call(Arguments*... arguments) const {
    Object result = Object::take(
        PyObject_CallFunctionObjArgs(function_.get(), arguments..., static_cast<PyObject*>(nullptr)));
    if (!result) raise_explained(explain_.get());
    return result;
  }
  /// Calls `body`, in which Python errors are explained too.
  template <class Body>
  auto explained(const Body& body) const {
    try {
      return body();
    } catch (const PythonError&) {
      raise_explained(explain_.get());
    }
  }

 private:
  SharedObject function_;
  SharedObject explain_;
};

/// The items of a sequence that a callback has given, as memory of their own: an array that the program still
/// holds, and could write to, is copied.
data::Row owned_row_from(PyObject* values);

}  // namespace dyad::python
