#include <nanobind/nanobind.h>

#include "base/error.h"
#include "capture/guards/check.h"
#include "capture/guards/literal.h"
#include "capture/guards/lookup.h"
#include "capture/guards/show.h"

namespace nb = nanobind;

namespace dyad::guards {

namespace {

class Equal final : public Check {
 public:
  explicit Equal(PyObject* value)
      : literal_(Literal::of(value)), text_(show(value)), is_number_(is_number(value)) {}
  GuardKind kind() const override { return GuardKind::kValue; }
  bool matches(PyObject* subject, PyObject* const*) const override { return literal_.matches(subject); }
  std::string expected() const override { return text_; }
  std::string actual(PyObject* subject, PyObject* const*) const override {
    const std::string text = show(subject);
    // Values that read the same differ in type, or in a part that is not shown.
    return text == text_ ? cat(text, " (another value of type ", Py_TYPE(subject)->tp_name, ")") : text;
  }
  Difference difference(PyObject* subject, PyObject* const*) const override {
    return is_number_ && is_number(subject) ? Difference::kNumber : Difference::kUnknown;
  }
  int traverse(visitproc visit, void* arg) const override { return literal_.traverse(visit, arg); }
  PyObject* constant() const override { return literal_.constant(); }

 private:
  static bool is_number(PyObject* value) {
    return PyBool_Check(value) || PyLong_CheckExact(value) || PyFloat_CheckExact(value);
  }

  Literal literal_;
  std::string text_;
  bool is_number_;
};

class Length final : public Check {
 public:
  explicit Length(Py_ssize_t length) : length_(length) {}
  GuardKind kind() const override { return GuardKind::kLength; }
  bool matches(PyObject* subject, PyObject* const*) const override { return length_of(subject) == length_; }
  std::string expected() const override { return cat("length ", length_); }
  std::string actual(PyObject* subject, PyObject* const*) const override {
    const Py_ssize_t length = length_of(subject);
    return length < 0 ? show(subject) : cat("length ", length);
  }

 private:
  Py_ssize_t length_;
};

class Keys final : public Check {
 public:
  explicit Keys(PyObject* keys) : text_(show(keys)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keys); ++i) {
      PyObject* key = PyTuple_GET_ITEM(keys, i);
      keys_.push_back(nb::borrow(key));
      // A key whose __eq__ is the user's must be the object itself.
      literals_.push_back(Literal::is_plain(key) ? std::optional(Literal::of(key)) : std::nullopt);
    }
  }
  GuardKind kind() const override { return GuardKind::kKeys; }
  bool matches(PyObject* subject, PyObject* const*) const override {
    if (!PyDict_Check(subject) || PyDict_Size(subject) != static_cast<Py_ssize_t>(keys_.size())) return false;
    Entries entries(subject);
    size_t at = 0;
    for (PyObject *key, *value; entries.next(key, value); ++at) {
      if (key == keys_[at].ptr()) continue;
      if (!literals_[at] || !literals_[at]->matches(key)) return false;
    }
    return at == keys_.size();
  }
  std::string expected() const override { return cat("keys ", text_); }
  std::string actual(PyObject* subject, PyObject* const*) const override {
    if (!PyDict_Check(subject)) return show(subject);
    const nb::object keys = nb::steal(PySequence_Tuple(subject));
    if (!keys) return PyErr_Clear(), show(subject);
    return cat("keys ", show(keys.ptr()));
  }
  int traverse(visitproc visit, void* arg) const override {
    for (const nb::object& key : keys_) Py_VISIT(key.ptr());
    for (const std::optional<Literal>& literal : literals_) {
      if (!literal) continue;
      if (const int stop = literal->traverse(visit, arg)) return stop;
    }
    return 0;
  }

 private:
  std::vector<nb::object> keys_;
  std::vector<std::optional<Literal>> literals_;
  std::string text_;
};

class Array final : public Check {
 public:
  explicit Array(PyObject* array)
      : type_(nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(array)))), value_(array) {}
  GuardKind kind() const override { return GuardKind::kArray; }
  bool matches(PyObject* subject, PyObject* const*) const override { return value_.matches(subject); }
  std::string expected() const override { return cat(value_.text(), " with the values it had"); }
  std::string actual(PyObject* subject, PyObject* const*) const override {
    return value_.same_form(subject) ? "other values" : ArrayValue::text_of(subject);
  }
  int traverse(visitproc visit, void* arg) const override {
    Py_VISIT(type_.ptr());
    return 0;
  }

 private:
  nb::object type_;
  ArrayValue value_;
};

class Call final : public Check {
 public:
  Call(PyObject* callable, PyObject* expected)
      : callable_(nb::borrow(callable)), expected_(nb::borrow(expected)) {}
  GuardKind kind() const override { return GuardKind::kCall; }
  bool matches(PyObject* subject, PyObject* const*) const override {
    const nb::object given = nb::steal(PyObject_CallOneArg(callable_.ptr(), subject));
    const int equal = given ? PyObject_RichCompareBool(given.ptr(), expected_.ptr(), Py_EQ) : -1;
    if (equal < 0) forget_error();
    return equal == 1;
  }
  std::string expected() const override {
    return cat(show(callable_.ptr()), " gives ", show(expected_.ptr()));
  }
  std::string actual(PyObject* subject, PyObject* const*) const override {
    const nb::object given = nb::steal(PyObject_CallOneArg(callable_.ptr(), subject));
    if (given) return cat(show(callable_.ptr()), " gives ", show(given.ptr()));
    forget_error();
    return cat(show(callable_.ptr()), " raises");
  }
  int traverse(visitproc visit, void* arg) const override {
    Py_VISIT(callable_.ptr());
    Py_VISIT(expected_.ptr());
    return 0;
  }

 private:
  /// Code that fails says nothing about the object; compiling anew will meet the same failure and report it.
  /// Only the user's wish to stop is passed on.
  static void forget_error() {
    const bool stop = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
    PyErr_Clear();
    if (stop) PyErr_SetInterrupt();
  }

  nb::object callable_;
  nb::object expected_;
};

}  // namespace

std::string Check::actual(PyObject* subject, PyObject* const*) const { return show(subject); }

CheckPointer check_equal(PyObject* value) { return std::make_unique<Equal>(value); }
CheckPointer check_length(Py_ssize_t length) { return std::make_unique<Length>(length); }
CheckPointer check_keys(PyObject* keys) { return std::make_unique<Keys>(keys); }
CheckPointer check_array(PyObject* array) { return std::make_unique<Array>(array); }
CheckPointer check_call(PyObject* callable, PyObject* expected) {
  return std::make_unique<Call>(callable, expected);
}

}  // namespace dyad::guards
