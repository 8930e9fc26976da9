#pragma once

#include <Python.h>

#include <cstdint>

namespace dyad::guards {

// Look-ups that never run code of the user's: no property, __getattr__, __getitem__, __missing__ or __len__.
// Each gives a new reference, or null without a Python error where nothing is found or the object is of
// another kind.

/// A class as it is until something in it or in its bases is changed: then it has another version, which no
/// class had before. Python's own caches of attributes rest on it.
class ClassVersion {
 public:
  ClassVersion() = default;
  explicit ClassVersion(PyTypeObject* type) : type_(type), number_(number_of(type)) {}
  /// Whether the class is this one and unchanged.
  bool fits(PyTypeObject* type) const { return type == type_ && number_ != 0 && number_ == number_of(type); }

 private:
  static unsigned int number_of(PyTypeObject* type) {
#if PY_VERSION_HEX < 0x030c0000
    if (!(type->tp_flags & Py_TPFLAGS_VALID_VERSION_TAG)) return 0;
#endif
    return type->tp_version_tag;
  }

  PyTypeObject* type_ = nullptr;
  unsigned int number_ = 0;  ///< 0: none
};

/// Caches the value of a dict under a key, or its absence, until the dict changes. CPython has version tags
/// of dicts up to 3.12; from 3.13 on nothing is cached.
class CachedLookup {
 public:
  /// Looks up the key, always the same one.
  PyObject* find(PyObject* dict, PyObject* key);

 private:
  uint64_t version_ = 0;       ///< version tag of the dict; each change of any dict gives it a new one
  PyObject* value_ = nullptr;  ///< borrowed from the dict of that version
};

/// Caches the look-up of an attribute.
struct CachedAttribute {
  ClassVersion plain{};  ///< of a class whose instances have the name in their `__dict__` or not at all
  CachedLookup entry{};  ///< in that `__dict__`
};

/// What the object itself holds under `name`: its `__dict__`, its `__slots__`, the own names of a class or
/// module. `cached` belongs to this name.
PyObject* find_attribute(PyObject* object, PyObject* name, CachedAttribute& cached);
/// What the object's class, or the object if it is a class, holds or inherits under `name`, unbound.
PyObject* find_class_attribute(PyObject* object, PyObject* name);
/// The value of a dict under a key of a built-in type. `cached` belongs to this key.
PyObject* find_item(PyObject* dict, PyObject* key, CachedLookup& cached);
/// The value of a dict under this very object as the key; the way for keys whose `__eq__` is the user's.
PyObject* find_item_by_identity(PyObject* dict, PyObject* key);
/// The element of a tuple or list.
PyObject* find_element(PyObject* sequence, Py_ssize_t index);
/// What a closure's cell holds.
PyObject* find_cell_contents(PyObject* cell);
/// The object of a weak reference.
PyObject* find_referent(PyObject* reference);

/// Number of entries of a tuple, list, dict, set, str or bytes; -1 for another object.
Py_ssize_t length_of(PyObject* object);
/// The `__dict__` of an instance as it is; null for one without. Borrowed.
PyObject* instance_dict(PyObject* object);

/// Walks the entries of a dict in the order in which the program sees them.
class Entries {
 public:
  explicit Entries(PyObject* dict);
  Entries(const Entries&) = delete;
  Entries& operator=(const Entries&) = delete;
  ~Entries();
  /// The next key and value, borrowed; false at the end, or if the dict changes on the way.
  bool next(PyObject*& key, PyObject*& value);

 private:
  PyObject* dict_;
  PyObject* keys_ = nullptr;  ///< an OrderedDict's own order, which move_to_end changes
  PyObject* key_ = nullptr;
  Py_ssize_t position_ = 0;
};

}  // namespace dyad::guards
