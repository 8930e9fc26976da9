#include "capture/guards/lookup.h"

#include <structmember.h>

namespace dyad::guards {

namespace {

PyObject* without_error(PyObject* found) {
  if (!found && PyErr_Occurred()) PyErr_Clear();
  return found;
}

PyObject* own_dict_of_class(PyTypeObject* type) {
#if PY_VERSION_HEX >= 0x030c0000
  return PyType_GetDict(type);
#else
  return Py_XNewRef(type->tp_dict);
#endif
}

PyObject* find_in_dict(PyObject* dict, PyObject* key) {
  return without_error(Py_XNewRef(PyDict_GetItemWithError(dict, key)));
}

/// The version tag of a dict; 0 if CPython has none.
uint64_t version_of(PyObject* dict) {
#if PY_VERSION_HEX < 0x030d0000
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  return reinterpret_cast<PyDictObject*>(dict)->ma_version_tag;
#pragma GCC diagnostic pop
#else
  (void)dict;
  return 0;
#endif
}

/// Whether it is a deque of Python's library itself, whose methods are not the user's.
bool is_deque(PyObject* object) {
  static PyObject* const type = [] {
    PyObject* module = PyImport_ImportModule("collections");
    PyObject* found = module ? PyObject_GetAttrString(module, "deque") : nullptr;
    Py_XDECREF(module);
    return without_error(found);
  }();
  return reinterpret_cast<PyObject*>(Py_TYPE(object)) == type;
}

/// What Python computes for a class on reading: its names are fields of a class made by Python code.
PyObject* find_computed_of_class(PyTypeObject* type, PyObject* name) {
  if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) return nullptr;
  const auto& made = *reinterpret_cast<PyHeapTypeObject*>(type);
  if (PyUnicode_CompareWithASCIIString(name, "__name__") == 0) return Py_XNewRef(made.ht_name);
  if (PyUnicode_CompareWithASCIIString(name, "__qualname__") == 0) return Py_XNewRef(made.ht_qualname);
  return nullptr;
}

/// What Python computes for a function or instance on reading, where that is a field of ours to see.
PyObject* find_computed(PyObject* object, PyObject* name) {
  if (PyUnicode_CompareWithASCIIString(name, "__dict__") == 0)
    return without_error(PyObject_GenericGetDict(object, nullptr));
  if (is_deque(object) && PyUnicode_CompareWithASCIIString(name, "maxlen") == 0)
    return without_error(PyObject_GetAttr(object, name));
  if (!PyFunction_Check(object)) return nullptr;
  const auto& function = *reinterpret_cast<PyFunctionObject*>(object);
  const auto or_none = [](PyObject* field) { return Py_NewRef(field ? field : Py_None); };
  if (PyUnicode_CompareWithASCIIString(name, "__code__") == 0) return or_none(function.func_code);
  if (PyUnicode_CompareWithASCIIString(name, "__defaults__") == 0) return or_none(function.func_defaults);
  if (PyUnicode_CompareWithASCIIString(name, "__kwdefaults__") == 0) return or_none(function.func_kwdefaults);
  if (PyUnicode_CompareWithASCIIString(name, "__name__") == 0) return or_none(function.func_name);
  if (PyUnicode_CompareWithASCIIString(name, "__qualname__") == 0) return or_none(function.func_qualname);
  return nullptr;
}

/// Whether an instance has a dict already, as all have on which a dict hangs: `instance_dict` would make one
/// of the values of others, which makes Python's own access to them slower.
bool has_dict(PyObject* object) {
  const traverseproc traverse = Py_TYPE(object)->tp_traverse;
  if (!PyObject_IS_GC(object) || !traverse) return false;
  const visitproc is_dict = [](PyObject* held, void*) { return static_cast<int>(PyDict_CheckExact(held)); };
  return traverse(object, is_dict, nullptr) != 0;
}

}  // namespace

PyObject* instance_dict(PyObject* object) {
  PyObject** dict = _PyObject_GetDictPtr(object);
  if (!dict && PyErr_Occurred()) PyErr_Clear();
  return dict ? *dict : nullptr;
}

PyObject* CachedLookup::find(PyObject* dict, PyObject* key) {
  const uint64_t version = version_of(dict);
  if (version != 0 && version == version_) return Py_XNewRef(value_);
  value_ = PyDict_GetItemWithError(dict, key);
  version_ = value_ || !PyErr_Occurred() ? version : 0;
  return without_error(Py_XNewRef(value_));
}

PyObject* find_attribute(PyObject* object, PyObject* name, CachedAttribute& cached) {
  if (cached.plain.fits(Py_TYPE(object))) {
    if (PyObject* dict = instance_dict(object)) return cached.entry.find(dict, name);
  }
  if (PyType_Check(object)) {
    if (PyObject* found = find_computed_of_class(reinterpret_cast<PyTypeObject*>(object), name)) return found;
    PyObject* dict = own_dict_of_class(reinterpret_cast<PyTypeObject*>(object));
    PyObject* found = dict ? find_in_dict(dict, name) : nullptr;
    Py_XDECREF(dict);
    return found;
  }
  PyObject* inherited = _PyType_Lookup(Py_TYPE(object), name);
  if (inherited && Py_TYPE(inherited) == &PyMemberDescr_Type) {
    auto* member = reinterpret_cast<PyMemberDescrObject*>(inherited);
    if (!PyObject_TypeCheck(object, PyDescr_TYPE(member))) return nullptr;  // another class's field
    return without_error(PyMember_GetOne(reinterpret_cast<const char*>(object), member->d_member));
  }
  if (inherited && Py_TYPE(inherited) == &PyGetSetDescr_Type) {
    if (PyObject* found = find_computed(object, name)) return found;
  }
  if (has_dict(object)) cached.plain = ClassVersion(Py_TYPE(object));
  // Python's own way reads the values without making a dict of them. It stays clear of user code where the
  // class has nothing that binds, and what it gives is the instance's unless it is what the class has.
  const bool binds = inherited && (Py_TYPE(inherited)->tp_descr_get || Py_TYPE(inherited)->tp_descr_set);
  if (!binds) {
    PyObject* found = without_error(_PyObject_GenericGetAttrWithDict(object, name, nullptr, 1));
    if (!found || found != inherited) return found;
    Py_DECREF(found);
  }
  PyObject* dict = instance_dict(object);
  return dict ? find_in_dict(dict, name) : nullptr;
}

PyObject* find_class_attribute(PyObject* object, PyObject* name) {
  PyTypeObject* type = PyType_Check(object) ? reinterpret_cast<PyTypeObject*>(object) : Py_TYPE(object);
  return Py_XNewRef(_PyType_Lookup(type, name));
}

PyObject* find_item(PyObject* dict, PyObject* key, CachedLookup& cached) {
  return PyDict_Check(dict) ? cached.find(dict, key) : nullptr;
}

PyObject* find_item_by_identity(PyObject* dict, PyObject* key) {
  if (!PyDict_Check(dict)) return nullptr;
  PyObject *found_key, *value;
  for (Py_ssize_t position = 0; PyDict_Next(dict, &position, &found_key, &value);) {
    if (found_key == key) return Py_NewRef(value);
  }
  return nullptr;
}

PyObject* find_element(PyObject* sequence, Py_ssize_t index) {
  if (PyTuple_Check(sequence)) {
    return index < PyTuple_GET_SIZE(sequence) ? Py_NewRef(PyTuple_GET_ITEM(sequence, index)) : nullptr;
  }
  if (PyList_Check(sequence)) {
    return index < PyList_GET_SIZE(sequence) ? Py_NewRef(PyList_GET_ITEM(sequence, index)) : nullptr;
  }
  return is_deque(sequence) ? without_error(PySequence_GetItem(sequence, index)) : nullptr;
}

PyObject* find_cell_contents(PyObject* cell) { return PyCell_Check(cell) ? PyCell_Get(cell) : nullptr; }

PyObject* find_referent(PyObject* reference) {
#if PY_VERSION_HEX >= 0x030d0000
  PyObject* found = nullptr;
  if (PyWeakref_GetRef(reference, &found) < 0) PyErr_Clear();
  return found;
#else
  PyObject* found = PyWeakref_GET_OBJECT(reference);
  return found == Py_None ? nullptr : Py_NewRef(found);
#endif
}

Py_ssize_t length_of(PyObject* object) {
  if (PyTuple_Check(object)) return PyTuple_GET_SIZE(object);
  if (PyList_Check(object)) return PyList_GET_SIZE(object);
  if (PyDict_Check(object)) return PyDict_Size(object);
  if (PyAnySet_Check(object)) return PySet_GET_SIZE(object);
  if (PyUnicode_Check(object)) return PyUnicode_GET_LENGTH(object);
  if (PyBytes_Check(object)) return PyBytes_GET_SIZE(object);
  return is_deque(object) ? PySequence_Size(object) : -1;
}

Entries::Entries(PyObject* dict) : dict_(dict) {
  if (PyODict_Check(dict)) keys_ = without_error(PyODict_Type.tp_iter(dict));
}

Entries::~Entries() {
  Py_XDECREF(keys_);
  Py_XDECREF(key_);
}

bool Entries::next(PyObject*& key, PyObject*& value) {
  if (!keys_) return PyDict_Next(dict_, &position_, &key, &value);
  Py_XDECREF(key_);
  key_ = without_error(Py_TYPE(keys_)->tp_iternext(keys_));
  if (!key_) return false;
  key = key_;
  value = PyDict_GetItemWithError(dict_, key);
  if (!value) without_error(nullptr);
  return value != nullptr;
}

}  // namespace dyad::guards
