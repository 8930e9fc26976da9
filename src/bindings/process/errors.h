#pragma once

#include "base/text.h"
#include "bindings/python.h"

namespace dyad::python {

/// The classes that capture errors become: in general, and where a size would have to be known.
void set_capture_errors(PyObject* error, PyObject* symbolic_dim);
/// Whether the Python error that is set is one.
bool capture_failed();

/// Sets the Python error that the exception in flight stands for. Call it in a catch-all handler.
void set_error() noexcept;

/// The Python error that is set, taken away for a while.
class RaisedError {
 public:
  RaisedError();
  RaisedError(const RaisedError&) = delete;
  RaisedError& operator=(const RaisedError&) = delete;
  ~RaisedError();
  PyObject* value() const { return value_; }
  /// Sets it again.
  void restore();

 private:
  PyObject* type_ = nullptr;
  PyObject* value_ = nullptr;
  PyObject* traceback_ = nullptr;
};

/// Has Python raise the error that is set, and clears it, where the caller can raise none. Signal handlers,
/// which may raise in any Python code, run in the main thread; there it is raised, at the next step.
void raise_later();

/// Raises a BufferError: what Python's memory protocols promise for memory that cannot be shared as asked.
template <class... Parts>
[[noreturn]] void buffer_error(const Parts&... parts) {
  PyErr_SetString(PyExc_BufferError, cat(parts...).c_str());
  throw PythonError{};
}

/// Runs `body` and returns what it returns; an exception becomes a Python error and `failure`.
template <class Body, class Result>
Result guarded(Result failure, const Body& body) noexcept {
  try {
    return body();
  } catch (...) {
    set_error();
    return failure;
  }
}
template <class Body>
PyObject* guarded(const Body& body) noexcept {
  return guarded(static_cast<PyObject*>(nullptr), body);
}

}  // namespace dyad::python
