#include "capture/guards/literal.h"

#include <cstring>

#include "base/error.h"
#include "capture/guards/lookup.h"

namespace nb = nanobind;

namespace dyad::guards {

namespace {

/// Stops at containers that hold themselves.
class Recursion {
 public:
  Recursion() {
    if (Py_EnterRecursiveCall(" while a value is taken over into a guard")) nb::raise_python_error();
  }
  Recursion(const Recursion&) = delete;
  Recursion& operator=(const Recursion&) = delete;
  ~Recursion() { Py_LeaveRecursiveCall(); }
};

bool has_slots(PyTypeObject* type) {
  for (; type && type->tp_flags & Py_TPFLAGS_HEAPTYPE; type = type->tp_base) {
    PyObject* slots = reinterpret_cast<PyHeapTypeObject*>(type)->ht_slots;
    if (slots && PyTuple_Check(slots) && PyTuple_GET_SIZE(slots) > 0) return true;
  }
  return false;
}

/// Whether an object of a user's subclass carries more than the value of the built-in type.
bool has_attributes(PyObject* object) {
  PyObject* dict = instance_dict(object);
  return dict && PyDict_GET_SIZE(dict) > 0;
}

bool is_of_numpy(PyTypeObject* type) { return std::strncmp(type->tp_name, "numpy.", 6) == 0; }

bool compares_by_identity(PyObject* value) {
  return Py_TYPE(value)->tp_richcompare == PyBaseObject_Type.tp_richcompare || value == Py_None ||
         PyBool_Check(value) || PyCFunction_Check(value) || PyType_Check(value) ||
         std::strncmp(Py_TYPE(value)->tp_name, "numpy.dtype", 11) == 0;
}

bool is_builtin_value(PyObject* value) {
  return PyLong_Check(value) || PyFloat_Check(value) || PyComplex_Check(value) || PyUnicode_Check(value) ||
         PyBytes_Check(value) || PyTuple_Check(value);
}

bool is_builtin_type(PyTypeObject* type) { return !(type->tp_flags & Py_TPFLAGS_HEAPTYPE); }

/// The comparison of a built-in type, whatever a subclass says.
bool equal_as(PyTypeObject& base, PyObject* a, PyObject* b) {
  PyObject* result = base.tp_richcompare(a, b, Py_EQ);
  if (!result) PyErr_Clear();
  Py_XDECREF(result);
  return result == Py_True;
}

bool same_number(double a, double b) { return std::memcmp(&a, &b, sizeof(a)) == 0 || (a != a && b != b); }

/// start, stop or step of a slice or range.
nb::object bound_of(PyObject* object, size_t i) {
  if (PySlice_Check(object)) {
    auto* slice = reinterpret_cast<PySliceObject*>(object);
    return nb::borrow(i == 0 ? slice->start : i == 1 ? slice->stop : slice->step);
  }
  constexpr const char* kNames[] = {"start", "stop", "step"};
  return nb::steal(PyObject_GetAttrString(object, kNames[i]));
}

/// A dict, or a user's subclass of one. Others hold more than their entries: a defaultdict its factory.
bool is_mere_dict(PyTypeObject* type) {
  const auto is_written_in_python = [](PyTypeObject* t) {
    return t->tp_flags & Py_TPFLAGS_HEAPTYPE && !reinterpret_cast<PyHeapTypeObject*>(t)->ht_module;
  };
  while (is_written_in_python(type)) type = type->tp_base;
  return type == &PyDict_Type || type == &PyODict_Type;
}

/// The elements in the set's own order, even if a subclass iterates differently.
PyObject* tuple_of_set(PyObject* set) {
  const nb::object items = nb::steal(PySet_Type.tp_iter(set));
  return items ? PySequence_Tuple(items.ptr()) : nullptr;
}

}  // namespace

bool Literal::is_plain(PyObject* value) {
  if (PyTuple_CheckExact(value)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) {
      if (!is_plain(PyTuple_GET_ITEM(value, i))) return false;
    }
    return true;
  }
  return value == Py_None || PyBool_Check(value) ||
         (is_builtin_value(value) && is_builtin_type(Py_TYPE(value))) ||
         (compares_by_identity(value) && Py_TYPE(value)->tp_hash == PyBaseObject_Type.tp_hash);
}

Literal Literal::of(PyObject* value) {
  const Recursion recursion;
  if (is_builtin_value(value) && !PyBool_Check(value)) {
    const bool exact = is_builtin_type(Py_TYPE(value));
    // An enumeration's member, say: its attributes belong to the value, and only the object itself has them
    // all.
    if (!exact && (has_attributes(value) || has_slots(Py_TYPE(value)))) return {Kind::kSame, value};
    return of_plain(value);
  }
  if (compares_by_identity(value)) return {Kind::kSame, value};
  return of_container(value);
}

Literal Literal::of_plain(PyObject* value) {
  if (PyLong_Check(value)) return {Kind::kInt, value};
  if (PyFloat_Check(value)) return {Kind::kFloat, value};
  if (PyComplex_Check(value)) return {Kind::kComplex, value};
  if (PyUnicode_Check(value)) return {Kind::kText, value};
  if (PyBytes_Check(value)) return {Kind::kBytes, value};
  Literal tuple(Kind::kSequence, value);
  tuple.contents_ = std::make_shared<Contents>();
  tuple.contents_->parts.reserve(static_cast<size_t>(PyTuple_GET_SIZE(value)));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) tuple.add_part(PyTuple_GET_ITEM(value, i));
  return tuple;
}

Literal Literal::changeable(Kind kind, PyTypeObject* type) {
  Literal literal(kind, reinterpret_cast<PyObject*>(type));
  literal.type_ = type;
  literal.frozen_ = false;
  literal.contents_ = std::make_shared<Contents>();
  return literal;
}

Literal Literal::of_container(PyObject* value) {
  PyTypeObject* type = Py_TYPE(value);
  if (PySlice_Check(value) || PyRange_Check(value)) {
    Literal bounds(PySlice_Check(value) ? Kind::kSlice : Kind::kRange, value);
    bounds.contents_ = std::make_shared<Contents>();
    for (size_t i = 0; i < 3; ++i) bounds.add_part(bound_of(value, i).ptr());
    return bounds;
  }
  const bool is_bare = !has_attributes(value) && !has_slots(type);
  if (is_mere_dict(type) && is_bare) {
    Literal dict = changeable(Kind::kDict, type);
    Entries entries(value);
    for (PyObject *key, *item; entries.next(key, item);) {
      dict.add_part(key);
      dict.add_part(item);
    }
    return dict;
  }
  if ((PyList_Check(value) || PyAnySet_Check(value)) && is_bare) {
    const nb::object items = nb::steal(PyList_Check(value) ? PyList_AsTuple(value) : tuple_of_set(value));
    if (!items) nb::raise_python_error();
    Literal sequence = changeable(Kind::kSequence, type);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.ptr()); ++i)
      sequence.add_part(PyTuple_GET_ITEM(items.ptr(), i));
    return sequence;
  }
  if (is_of_numpy(type)) {
    Literal array = changeable(Kind::kArray, type);
    array.contents_->array = std::make_unique<ArrayValue>(value);
    return array;
  }
  type_error("check_equal: an object of type ", type->tp_name,
             " cannot be compared without calling its methods; use check_identity, check_type or check_call");
}

void Literal::add_part(PyObject* value) {
  contents_->parts.push_back(of(value));
  frozen_ = frozen_ && contents_->parts.back().frozen_;
}

bool Literal::matches(PyObject* object) const {
  if (object == constant()) return true;
  PyObject* own = object_.ptr();
  switch (kind_) {
    case Kind::kSame:
      return false;
    case Kind::kInt:
      return matches_type(object) && equal_as(PyLong_Type, own, object);
    case Kind::kFloat:
      return matches_type(object) && same_number(PyFloat_AS_DOUBLE(own), PyFloat_AS_DOUBLE(object));
    case Kind::kComplex: {
      if (!matches_type(object)) return false;
      const Py_complex& a = reinterpret_cast<PyComplexObject*>(own)->cval;
      const Py_complex& b = reinterpret_cast<PyComplexObject*>(object)->cval;
      return same_number(a.real, b.real) && same_number(a.imag, b.imag);
    }
    case Kind::kText:
      return matches_type(object) && equal_as(PyUnicode_Type, own, object);
    case Kind::kBytes:
      return matches_type(object) && equal_as(PyBytes_Type, own, object);
    case Kind::kArray:
      return Py_TYPE(object) == type_ && contents_->array->matches(object);
    case Kind::kDict:
      return matches_type(object) && matches_dict(object);
    case Kind::kSequence:
      return matches_type(object) && matches_sequence(object);
    case Kind::kSlice:
    case Kind::kRange:
      return matches_type(object) && matches_bounds(object);
  }
  return false;
}

bool Literal::matches_type(PyObject* object) const {
  return Py_TYPE(object) == type_ && (is_builtin_type(type_) || !has_attributes(object));
}

bool Literal::matches_bounds(PyObject* object) const {
  for (size_t i = 0; i < parts().size(); ++i) {
    const nb::object bound = bound_of(object, i);
    if (!bound || !parts()[i].matches(bound.ptr())) return false;
  }
  return true;
}

bool Literal::matches_sequence(PyObject* object) const {
  if (length_of(object) != static_cast<Py_ssize_t>(parts().size())) return false;
  if (PyAnySet_Check(object)) {
    const nb::object items = nb::steal(tuple_of_set(object));
    if (!items) PyErr_Clear();
    return items && matches_sequence(items.ptr());
  }
  for (size_t i = 0; i < parts().size(); ++i) {
    // Comparing runs no user code, so a list keeps its length meanwhile.
    const auto at = static_cast<Py_ssize_t>(i);
    PyObject* item = PyTuple_Check(object) ? PyTuple_GET_ITEM(object, at) : PyList_GET_ITEM(object, at);
    if (!parts()[i].matches(item)) return false;
  }
  return true;
}

bool Literal::matches_dict(PyObject* object) const {
  if (length_of(object) != static_cast<Py_ssize_t>(parts().size() / 2)) return false;
  Entries entries(object);
  size_t at = 0;
  for (PyObject *key, *value; entries.next(key, value); at += 2) {
    if (!parts()[at].matches(key) || !parts()[at + 1].matches(value)) return false;
  }
  return at == parts().size();
}

int Literal::traverse(visitproc visit, void* arg) const {
  Py_VISIT(object_.ptr());
  if (!contents_) return 0;
  for (const Literal& part : contents_->parts) {
    if (const int stop = part.traverse(visit, arg)) return stop;
  }
  return 0;
}

}  // namespace dyad::guards
