#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "capture/guards/array_value.h"

namespace dyad::guards {

/// A Python value as it was when it was read. Another object matches it if it has the same type and value all
/// the way down: True is not 1, -0.0 is not 0.0, NaN is NaN, the order of a dict or set counts. Comparing
/// calls no method of the user's classes: what they compare by `__eq__` cannot be a literal.
class Literal {
 public:
  /// Objects that compare by identity, numbers, text, slices, ranges, NumPy scalars, and containers of these,
  /// which are copied. Anything else is a TypeError.
  static Literal of(PyObject* value);

  bool matches(PyObject* object) const;
  /// Whether hashing and comparing such a value is Python's own code.
  static bool is_plain(PyObject* value);

  /// The value if it is immutable, so that identity is enough; null otherwise.
  PyObject* constant() const { return frozen_ ? object_.ptr() : nullptr; }
  int traverse(visitproc visit, void* arg) const;

 private:
  enum class Kind : uint8_t {
    kSame,
    kInt,
    kFloat,
    kComplex,
    kText,
    kBytes,
    kSequence,
    kDict,
    kSlice,
    kRange,
    kArray
  };

  /// What containers and arrays have beyond their type.
  struct Contents {
    std::vector<Literal> parts;
    std::unique_ptr<const ArrayValue> array;
  };

  Literal(Kind kind, PyObject* object)
      : kind_(kind), type_(Py_TYPE(object)), object_(nanobind::borrow(object)) {}
  static Literal of_plain(PyObject* value);
  static Literal of_container(PyObject* value);
  static Literal changeable(Kind kind, PyTypeObject* type);
  const std::vector<Literal>& parts() const { return contents_->parts; }
  void add_part(PyObject* value);
  bool matches_type(PyObject* object) const;
  bool matches_sequence(PyObject* object) const;
  bool matches_bounds(PyObject* object) const;
  bool matches_dict(PyObject* object) const;

  Kind kind_;
  bool frozen_ = true;  ///< the value can never change
  PyTypeObject* type_;
  nanobind::object object_;  ///< the value; the type where the value may change
  std::shared_ptr<Contents> contents_;
};

}  // namespace dyad::guards
