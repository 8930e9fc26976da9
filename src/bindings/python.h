#pragma once

#include <Python.h>

#include <utility>

namespace dyad::python {

/// Owning reference to a Python object.
class Object {
 public:
  Object() = default;
  Object(Object&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
  Object& operator=(Object other) noexcept {
    std::swap(pointer_, other.pointer_);
    return *this;
  }
  Object(const Object&) = delete;
  ~Object() { Py_XDECREF(pointer_); }
  /// Takes over a new reference (or null, with a Python error set).
  static Object take(PyObject* object) {
    Object owner;
    owner.pointer_ = object;
    return owner;
  }
  static Object share(PyObject* object) { return take(Py_XNewRef(object)); }

  PyObject* get() const { return pointer_; }
  PyObject* release() { return std::exchange(pointer_, nullptr); }
  explicit operator bool() const { return pointer_ != nullptr; }

 private:
  PyObject* pointer_ = nullptr;
};

/// Thrown when a Python error is already set; carries nothing.
struct PythonError {};

/// The object, or PythonError if a call into Python failed.
inline Object check(PyObject* object) {
  if (!object) throw PythonError{};
  return Object::take(object);
}

}  // namespace dyad::python
