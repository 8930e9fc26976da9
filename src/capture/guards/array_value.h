#pragma once

#include <Python.h>

#include <string>
#include <vector>

namespace dyad::guards {

/// The contents of a NumPy array or scalar as they were when it was read. NumPy is known by the buffer
/// protocol only.
class ArrayValue {
 public:
  /// Copies the contents. An object without them, or with elements that are Python objects, is a TypeError.
  explicit ArrayValue(PyObject* array);

  /// Whether the object has this type, element type and shape, and the same bytes. A NumPy scalar and an
  /// array without dimensions count as one type.
  bool matches(PyObject* object) const;
  /// The same but for the bytes; tells in a message which of the two differs.
  bool same_form(PyObject* object) const;
  std::string text() const;
  /// The form of an object: type, element type and shape.
  static std::string text_of(PyObject* object);

  PyTypeObject* type() const { return type_; }

 private:
  bool has_type(PyTypeObject* type) const;
  bool has_form(const Py_buffer& view) const;

  PyTypeObject* type_;  ///< borrowed: the owner of this value holds it
  std::string format_;
  std::vector<Py_ssize_t> shape_;
  std::string bytes_;  ///< in row-major order
};

}  // namespace dyad::guards
