#include "bindings/jit/module.h"

#include <structmember.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "bindings/jit/compiled_entry.h"
#include "bindings/jit/miss_lock.h"
#include "bindings/process/errors.h"
#include "bindings/process/last_thread.h"
#include "bindings/tensor/convert.h"
#include "program/program.h"

namespace dyad::python {

namespace {

/// The compiled forms of a function, the one used last first.
struct Cache {
  struct Slot {
    Object object;
    const CompiledEntry* entry;
  };
  std::vector<Slot> slots{};
  size_t limit = 0;
  uint64_t hits = 0;
  uint64_t misses = 0;
  MissLock lock{};
};

struct CompiledFunction {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* miss;
  PyObject* python_form;
  PyObject* name;
  PyObject* attributes;
  PyObject* weak_references;
  Cache* cache;
};

CompiledFunction* cast(PyObject* object) { return reinterpret_cast<CompiledFunction*>(object); }

/// The arguments of a call, as Python passes them: by position, then the values of the keywords.
struct Given {
  PyObject* const* values;
  size_t positional;
  PyObject* keywords;

  size_t keyword_count() const { return keywords ? static_cast<size_t>(PyTuple_GET_SIZE(keywords)) : 0; }
  std::span<PyObject* const> all() const { return {values, positional + keyword_count()}; }
};

void use_first(Cache& cache, size_t at, PyObject* entry) {
  // Checking may have run Python code that changed the cache.
  if (at == 0 || at >= cache.slots.size() || cache.slots[at].object.get() != entry) return;
  const auto begin = cache.slots.begin();
  std::rotate(begin, begin + static_cast<std::ptrdiff_t>(at), begin + static_cast<std::ptrdiff_t>(at) + 1);
}

/// Runs a call in Python whose compiled form a tape cannot have. Call it in the handler of that error.
Object run_unrecorded(PyObject* callable, PyObject* args, PyObject* kwargs) {
  set_error();
  RaisedError error;
  return check(
      PyObject_CallMethod(cast(callable)->miss, "run_unrecorded", "OOO", error.value(), args, kwargs));
}

/// The arguments by position and by keyword as Python objects.
std::pair<Object, Object> packed(const Given& given) {
  Object args = check(PyTuple_New(static_cast<Py_ssize_t>(given.positional)));
  for (size_t i = 0; i < given.positional; ++i)
    PyTuple_SET_ITEM(args.get(), static_cast<Py_ssize_t>(i), Py_NewRef(given.values[i]));
  Object kwargs = check(PyDict_New());
  for (size_t i = 0; i < given.keyword_count(); ++i) {
    PyObject* name = PyTuple_GET_ITEM(given.keywords, static_cast<Py_ssize_t>(i));
    if (PyDict_SetItem(kwargs.get(), name, given.values[given.positional + i]) < 0) throw PythonError{};
  }
  return {std::move(args), std::move(kwargs)};
}

/// The result of the first form that fits; empty if none does.
Object run_cached(PyObject* callable, const Given& given) {
  Cache& cache = *cast(callable)->cache;
  for (size_t i = 0; i < cache.slots.size(); ++i) {
    const CompiledEntry& entry = *cache.slots[i].entry;
    if (!entry.takes(given.positional, given.keywords)) continue;
    const Object keep = Object::share(cache.slots[i].object.get());
    guards::Found found(entry.tree().size());
    if (!entry.tree().matches(given.all(), found)) continue;
    std::vector<Arg> inputs;
    if (!entry.take_inputs(found, inputs)) continue;
    use_first(cache, i, keep.get());
    ++cache.hits;
    try {
      return entry.run(found, inputs);
    } catch (const program::NotRecordable&) {
      const auto [args, kwargs] = packed(given);
      return run_unrecorded(callable, args.get(), kwargs.get());
    }
  }
  return {};
}

Object run_missed(PyObject* callable, const Given& given) {
  CompiledFunction& self = *cast(callable);
  ++self.cache->misses;
  const auto [args, kwargs] = packed(given);
  PyObject* const passed[] = {callable, args.get(), kwargs.get()};
  return check(PyObject_Vectorcall(self.miss, passed, 3, nullptr));
}

PyObject* call(PyObject* callable, PyObject* const* args, size_t flags, PyObject* keywords) {
  return guarded([&] {
    const CallInFlight seen;
    Cache& cache = *cast(callable)->cache;
    const Given given{args, static_cast<size_t>(PyVectorcall_NARGS(flags)), keywords};
    do {
      if (Object result = run_cached(callable, given)) return result.release();
      if (cast(callable)->python_form) {
        const Object form = Object::share(cast(callable)->python_form);
        return check(PyObject_Vectorcall(form.get(), args, flags, keywords)).release();
      }
    } while (!cache.lock.enter());
    const MissLock::Hold hold(cache.lock);
    return run_missed(callable, given).release();
  });
}

/// What is dropped may run Python code, which must find the cache whole.
void drop_dead(Cache& cache) {
  std::vector<Cache::Slot> dropped;
  const auto dead = std::stable_partition(cache.slots.begin(), cache.slots.end(),
                                          [](const Cache::Slot& slot) { return slot.entry->tree().alive(); });
  std::move(dead, cache.slots.end(), std::back_inserter(dropped));
  cache.slots.erase(dead, cache.slots.end());
}

const CompiledEntry& need_entry(PyObject* object) {
  const CompiledEntry* entry = entry_of(object);
  if (!entry) type_error("CompiledFunction: got ", describe(object), "; need a CompiledEntry");
  return *entry;
}

PyObject* add(PyObject* self, PyObject* object) {
  return guarded([&] {
    Cache& cache = *cast(self)->cache;
    const CompiledEntry& entry = need_entry(object);
    drop_dead(cache);
    std::erase_if(cache.slots, [&](const Cache::Slot& slot) { return slot.entry == &entry; });
    cache.slots.insert(cache.slots.begin(), {Object::share(object), &entry});
    while (cache.slots.size() > cache.limit) {
      const Cache::Slot evicted = std::move(cache.slots.back());
      cache.slots.pop_back();
    }
    return Py_NewRef(Py_None);
  });
}

PyObject* clear_entries(PyObject* self, PyObject*) {
  const std::vector<Cache::Slot> dropped = std::exchange(cast(self)->cache->slots, {});
  return Py_NewRef(Py_None);
}

PyObject* run(PyObject* callable, PyObject* args) {
  return guarded([&] {
    PyObject *object, *positional, *keywords = nullptr;
    if (!PyArg_ParseTuple(args, "OO!|O!:run", &object, &PyTuple_Type, &positional, &PyDict_Type, &keywords))
      throw PythonError{};
    const CompiledEntry& entry = need_entry(object);
    std::vector<PyObject*> flat;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(positional); ++i)
      flat.push_back(PyTuple_GET_ITEM(positional, i));
    PyObject *name, *value;
    for (Py_ssize_t at = 0; keywords && PyDict_Next(keywords, &at, &name, &value);) flat.push_back(value);
    guards::Found found(entry.tree().size());
    if (!entry.tree().locate(flat, found))
      runtime_error("CompiledFunction.run: the arguments lack something that the entry's program reads");
    std::vector<Arg> inputs;
    if (!entry.take_inputs(found, inputs))
      raise(ErrorKind::kOverflow, "CompiledFunction.run: an int argument does not fit in 64 bits");
    try {
      return entry.run(found, inputs).release();
    } catch (const program::NotRecordable&) {
      const Object named = keywords ? Object::share(keywords) : check(PyDict_New());
      return run_unrecorded(callable, positional, named.get()).release();
    }
  });
}

PyObject* function_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* names[] = {"miss", "limit", "name", nullptr};
    PyObject *miss, *name = nullptr;
    Py_ssize_t limit = 64;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|nU:CompiledFunction", const_cast<char**>(names), &miss,
                                     &limit, &name))
      throw PythonError{};
    if (!PyCallable_Check(miss))
      type_error("CompiledFunction: miss is ", describe(miss), "; need a callable");
    if (limit < 1) value_error("CompiledFunction: limit is ", limit, "; need 1 or more");
    Object object = check(type->tp_alloc(type, 0));
    CompiledFunction& self = *cast(object.get());
    self.vectorcall = call;
    self.miss = Py_NewRef(miss);
    self.name = name ? Py_NewRef(name) : check(PyUnicode_FromString("function")).release();
    self.cache = new Cache{.limit = static_cast<size_t>(limit)};
    return object.release();
  });
}

int function_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(cast(self)->miss);
  Py_VISIT(cast(self)->python_form);
  Py_VISIT(cast(self)->attributes);
  if (!cast(self)->cache) return 0;
  for (const Cache::Slot& slot : cast(self)->cache->slots) Py_VISIT(slot.object.get());
  return 0;
}

int function_clear(PyObject* self) {
  // The function to call on a miss stays: user code may yet call this one while the cycle is taken apart.
  Py_CLEAR(cast(self)->attributes);
  Py_CLEAR(cast(self)->python_form);
  if (cast(self)->cache) Py_XDECREF(clear_entries(self, nullptr));
  return 0;
}

void function_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (cast(self)->weak_references) PyObject_ClearWeakRefs(self);
  function_clear(self);
  Py_CLEAR(cast(self)->miss);
  Py_CLEAR(cast(self)->name);
  delete cast(self)->cache;
  PyTypeObject* own = Py_TYPE(self);
  own->tp_free(self);
  Py_DECREF(own);
}

PyObject* function_get(PyObject* self, PyObject* instance, PyObject*) {
  if (!instance || instance == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, instance);
}

PyObject* function_repr(PyObject* self) {
  return PyUnicode_FromFormat("<compiled function %U>", cast(self)->name);
}

/// Pickled and copied as functions are: by name, and as the same object.
PyObject* function_reduce(PyObject* self, PyObject*) {
  PyObject* name = PyObject_GetAttrString(self, "__qualname__");
  if (name) return name;
  PyErr_Clear();
  return Py_NewRef(cast(self)->name);
}

PyObject* get_entries(PyObject* self, void*) {
  return guarded([&] {
    const std::vector<Cache::Slot>& slots = cast(self)->cache->slots;
    Object list = check(PyList_New(0));
    for (size_t i = 0; i < slots.size(); ++i) {
      if (PyList_Append(list.get(), slots[i].object.get()) < 0) throw PythonError{};
    }
    return list.release();
  });
}
PyObject* get_hits(PyObject* self, void*) { return PyLong_FromUnsignedLongLong(cast(self)->cache->hits); }
PyObject* get_misses(PyObject* self, void*) { return PyLong_FromUnsignedLongLong(cast(self)->cache->misses); }
PyObject* get_limit(PyObject* self, void*) { return PyLong_FromSize_t(cast(self)->cache->limit); }
PyObject* get_name(PyObject* self, void*) { return Py_NewRef(cast(self)->name); }
PyObject* get_miss(PyObject* self, void*) { return Py_NewRef(cast(self)->miss); }
PyObject* get_python_form(PyObject* self, void*) {
  PyObject* form = cast(self)->python_form;
  return Py_NewRef(form ? form : Py_None);
}
int set_python_form(PyObject* self, PyObject* form, void*) {
  Py_XSETREF(cast(self)->python_form, form && form != Py_None ? Py_NewRef(form) : nullptr);
  return 0;
}

PyGetSetDef attributes[] = {
    {"entries", get_entries, nullptr, "The compiled forms, the one used last first.", nullptr},
    {"hits", get_hits, nullptr, "How many calls found a compiled form.", nullptr},
    {"misses", get_misses, nullptr, "How many calls found none.", nullptr},
    {"limit", get_limit, nullptr, "How many compiled forms are kept.", nullptr},
    {"name", get_name, nullptr, "The name that was given.", nullptr},
    {"miss", get_miss, nullptr,
     "What is called when no compiled form fits, and whose `run_unrecorded` is where a tape cannot have one.",
     nullptr},
    {"python_form", get_python_form, set_python_form,
     "What Python runs where no compiled form fits and none is to be made; None if one is.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"add", add, METH_O,
     "Adds a compiled form; the one that was not used for longest goes if there are too many."},
    {"run", run, METH_VARARGS, "Runs a compiled form on (args, kwargs) without asking its guards."},
    {"clear", clear_entries, METH_NOARGS, "Drops all compiled forms."},
    {"__reduce__", function_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(CompiledFunction, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(CompiledFunction, attributes), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(CompiledFunction, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(function_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(function_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(function_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(function_clear)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void*>(function_get)},
    {Py_tp_repr, reinterpret_cast<void*>(function_repr)},
    {Py_tp_getset, attributes},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_doc, const_cast<char*>("A function with its compiled forms.")},
    {0, nullptr},
};

PyType_Spec spec = {
    "dyad._core.CompiledFunction", sizeof(CompiledFunction), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
    slots};

}  // namespace

void add_compiled_function(PyObject* module) {
  const Object type = check(PyType_FromSpec(&spec));
  if (PyModule_AddObjectRef(module, "CompiledFunction", type.get()) < 0) throw PythonError{};
}

}  // namespace dyad::python
