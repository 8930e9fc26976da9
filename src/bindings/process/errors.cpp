#include "bindings/process/errors.h"

#include <cstring>
#include <new>
#include <utility>

#include "base/delayed_error.h"
#include "base/range_error.h"
#include "bindings/op/called_name.h"
#include "bindings/process/error_classes.h"
#include "bindings/process/module.h"
#include "bindings/tensor/convert.h"

namespace dyad::python {

namespace {

PyObject* capture_error_class = nullptr;
PyObject* symbolic_dim_error_class = nullptr;
PyObject* range_error_class = nullptr;
PyObject* too_wide_error_class = nullptr;
PyObject* mask_error_class = nullptr;
PyObject* no_index_error_class = nullptr;
PyObject* memory_error_class = nullptr;

PyObject* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kType:
      return PyExc_TypeError;
    case ErrorKind::kValue:
      return PyExc_ValueError;
    case ErrorKind::kIndex:
      return PyExc_IndexError;
    case ErrorKind::kKey:
      return PyExc_KeyError;
    case ErrorKind::kAttribute:
      return PyExc_AttributeError;
    case ErrorKind::kMemory:
      return memory_error_class;
    case ErrorKind::kZeroDivision:
      return PyExc_ZeroDivisionError;
    case ErrorKind::kOverflow:
      return PyExc_OverflowError;
    case ErrorKind::kRecursion:
      return PyExc_RecursionError;
    case ErrorKind::kInterrupted:
      return PyExc_KeyboardInterrupt;
    case ErrorKind::kCapture:
      return capture_error_class;
    case ErrorKind::kSymbolicDim:
      return symbolic_dim_error_class;
    case ErrorKind::kRuntime:
    case ErrorKind::kUnsupported:
    case ErrorKind::kInternal:
      return PyExc_RuntimeError;
  }
  return PyExc_RuntimeError;
}

/// The name of a kind in Python's `break_reasons`.
const char* name_of(BreakKind kind) {
  switch (kind) {
    case BreakKind::kUnknown:
      return "unknown";
    case BreakKind::kCondition:
      return "data-dependent condition";
    case BreakKind::kIterable:
      return "unsupported iterable type";
    case BreakKind::kFunction:
      return "unsupported function";
  }
  return "unknown";
}

/// Sets an attribute of a new exception. An exception without it is raised all the same.
void set_attribute(PyObject* exception, const char* name, PyObject* value) {
  const Object held = Object::take(value);
  if (!held || PyObject_SetAttrString(exception, name, held.get()) < 0) PyErr_Clear();
}

/// Sets a Python error. The exception keeps its owner and its text apart, as `_dyad_parts`, and a capture
/// error its kind.
void set_python_error(PyObject* cls, const Error& error, const std::string& owner) {
  PyErr_Clear();  // An object is not made while another error is set.
  const std::string message = error.message_of(owner);
  const Object exception = Object::take(PyObject_CallFunction(cls, "s", message.c_str()));
  if (!exception) return;
  if (!owner.empty()) {
    set_attribute(exception.get(), "_dyad_parts", Py_BuildValue("(ss)", owner.c_str(), error.text().c_str()));
  }
  if (error.kind() == ErrorKind::kCapture || error.kind() == ErrorKind::kSymbolicDim) {
    set_attribute(exception.get(), "kind", PyUnicode_FromString(name_of(error.break_kind())));
  }
  PyErr_SetObject(cls, exception.get());
}
void set_python_error(PyObject* cls, const Error& error) {
  set_python_error(cls, error, blamed_owner(error));
}

/// Adds a class with two bases to the module, under the last part of its name.
PyObject* add_class(PyObject* module, const char* name, const char* doc, PyObject* first, PyObject* second) {
  const Object bases = check(PyTuple_Pack(2, first, second));
  PyObject* added = PyErr_NewExceptionWithDoc(name, doc, bases.get(), nullptr);
  if (!added || PyModule_AddObjectRef(module, std::strrchr(name, '.') + 1, added) < 0) throw PythonError{};
  return added;
}

}  // namespace

void set_capture_errors(PyObject* error, PyObject* symbolic_dim) {
  capture_error_class = error;
  symbolic_dim_error_class = symbolic_dim;
}
bool capture_failed() { return PyErr_ExceptionMatches(capture_error_class); }

void add_error_classes(PyObject* module) {
  range_error_class =
      add_class(module, "dyad._core.IndexError", "An index names a place that a Tensor does not have.",
                PyExc_IndexError, PyExc_RuntimeError);
  memory_error_class = add_class(module, "dyad._core.MemoryError", "There is no memory left for a Tensor.",
                                 PyExc_MemoryError, PyExc_RuntimeError);
  too_wide_error_class =
      add_class(module, "dyad._core.OverflowError", "A number has more bits than an element.",
                PyExc_OverflowError, PyExc_RuntimeError);
  mask_error_class = add_class(module, "dyad._core.MaskError", "A mask has other sizes than what it covers.",
                               PyExc_IndexError, PyExc_ValueError);
  no_index_error_class =
      add_class(module, "dyad._core.NoIndexError", "A Tensor is no int.", PyExc_TypeError, PyExc_ValueError);
}

void raise_mask_mismatch(const std::string& message) {
  set_python_error(mask_error_class, Error(ErrorKind::kValue, message));
  throw PythonError{};
}

void raise_no_index(const std::string& message) {
  set_python_error(no_index_error_class, Error(ErrorKind::kValue, message));
  throw PythonError{};
}

void raise_too_wide(const char* name, PyObject* number) {
  const std::string message = cat(name, ": ", describe(number), " does not fit in 64 bits");
  set_python_error(too_wide_error_class, Error(ErrorKind::kOverflow, message));
  throw PythonError{};
}

#if PY_VERSION_HEX >= 0x030C0000
RaisedError::RaisedError() : value_(PyErr_GetRaisedException()) {}
void RaisedError::restore() { PyErr_SetRaisedException(std::exchange(value_, nullptr)); }
#else
RaisedError::RaisedError() {
  PyErr_Fetch(&type_, &value_, &traceback_);
  PyErr_NormalizeException(&type_, &value_, &traceback_);
  if (traceback_) PyException_SetTraceback(value_, traceback_);
}
void RaisedError::restore() {
  PyErr_Restore(std::exchange(type_, nullptr), std::exchange(value_, nullptr),
                std::exchange(traceback_, nullptr));
}
#endif
RaisedError::~RaisedError() {
  Py_XDECREF(type_);
  Py_XDECREF(value_);
  Py_XDECREF(traceback_);
}

void raise_later() {
  const auto raise_kept = [](void* kept) {
    const Object error = Object::take(static_cast<PyObject*>(kept));
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
    return -1;
  };
  RaisedError raised;
  if (Py_AddPendingCall(raise_kept, raised.value()) == 0) {
    Py_INCREF(raised.value());
  } else {
    raised.restore();
    PyErr_WriteUnraisable(nullptr);
  }
}

void set_error() noexcept {
  try {
    throw;
  } catch (const PythonError&) {
    // Python knows already.
  } catch (const DelayedError& error) {
    const bool range = error.kind() == ErrorKind::kIndex;
    set_python_error(range ? range_error_class : class_of(error.kind()), error, error.owner());
  } catch (const RangeError& error) {
    set_python_error(range_error_class, error);
  } catch (const Error& error) {
    // An interrupt was noticed through Python itself, which then holds the exception to raise.
    if (!(error.kind() == ErrorKind::kInterrupted && PyErr_Occurred()))
      set_python_error(class_of(error.kind()), error);
  } catch (const std::bad_alloc&) {
    PyErr_SetString(PyExc_MemoryError, "out of memory: the host has no memory left for bookkeeping");
  } catch (const std::exception& error) {
    PyErr_Format(PyExc_RuntimeError, "internal error: %s; this is a fault of Dyad, not of the program",
                 error.what());
  }
}

}  // namespace dyad::python
