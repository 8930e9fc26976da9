#include "bindings/op/op_function.h"

#include <structmember.h>

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "bindings/jit/graph_number.h"
#include "bindings/op/arguments.h"
#include "bindings/op/called_name.h"
#include "bindings/op/module.h"
#include "bindings/op/precision.h"
#include "bindings/process/errors.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/tensor_object.h"
#include "capture/tracing/graph_tracer.h"
#include "eager/dispatch.h"

namespace dyad::python {

namespace {

constexpr size_t kMaxParams = 16;

struct OpFunction {
  PyObject_HEAD vectorcallfunc vectorcall;
  const Op* op;
  const Face* face;
  bool in_place;
  bool is_method;
  std::vector<PyObject*>* names;  ///< interned, in the order of the face's parameters
  PyObject* name;
  PyObject* further;  ///< the form to try next, or null
};

PyTypeObject* function_type = nullptr;  // does not bind, as a builtin function
PyTypeObject* method_type = nullptr;    // binds to an instance

OpFunction* cast(PyObject* object) { return reinterpret_cast<OpFunction*>(object); }

std::string_view shown_name(const OpFunction& self) { return self.face->name; }

/// Arguments being collected for one call. Only as many are made as the operator has parameters: making and
/// dropping the rest would take longer than a small operator.
struct Collected {
  explicit Collected(size_t count) : args(reinterpret_cast<Arg*>(room), count) {
    std::uninitialized_default_construct(args.begin(), args.end());
  }
  Collected(const Collected&) = delete;
  Collected& operator=(const Collected&) = delete;
  ~Collected() { std::destroy(args.begin(), args.end()); }

  alignas(Arg) std::byte room[kMaxParams * sizeof(Arg)];
  std::span<Arg> args;
  uint32_t given = 0;  ///< bit per parameter of the operator

  void set(const OpFunction& self, size_t target, PyObject* object) {
    if (given & (1u << target)) {
      type_error(shown_name(self), "() got multiple values for argument '",
                 self.op->signature.params[target].name, "'");
    }
    argument_from(shown_name(self), self.op->signature.params[target], object, args[target]);
    given |= 1u << target;
  }
};

std::string listed_parameters(const OpFunction& self) {
  std::string out;
  for (const FaceParam& param : self.face->params) out += cat(out.empty() ? "" : ", ", param.name);
  return out;
}

size_t target_of_keyword(const OpFunction& self, PyObject* keyword) {
  const auto& params = self.face->params;
  for (size_t i = 0; i < params.size(); ++i) {
    if ((*self.names)[i] == keyword) return static_cast<size_t>(params[i].target);
  }
  const char* text = PyUnicode_AsUTF8(keyword);
  if (!text) throw PythonError{};
  const std::string_view spelled(text);
  for (const FaceParam& param : params) {
    if (param.name == spelled) return static_cast<size_t>(param.target);
  }
  for (auto [alias, name] : self.op->aliases) {
    if (alias == spelled) return static_cast<size_t>(self.op->signature.find(name));
  }
  const int canonical = self.op->signature.find(spelled);
  if (canonical >= 0) return static_cast<size_t>(canonical);
  type_error(shown_name(self), "() got an unexpected keyword argument '", spelled, "'; accepted are ",
             listed_parameters(self));
}

/// Positional arguments into `*shape`: one sequence, or the integers one by one.
void gather_positional(const OpFunction& self, size_t target, PyObject* const* args, size_t count,
                       Collected& out) {
  if (count == 0) return;
  const bool list_of_one =
      self.op->signature.params[target].kind == ParamKind::kTensors && is_tensor(args[0]);
  if (count == 1 && !list_of_one) return out.set(self, target, args[0]);
  Object tuple = check(PyTuple_New(static_cast<Py_ssize_t>(count)));
  for (size_t i = 0; i < count; ++i)
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), Py_NewRef(args[i]));
  out.set(self, target, tuple.get());
}

void collect_positional(const OpFunction& self, PyObject* const* args, size_t count, Collected& out) {
  const auto& params = self.face->params;
  for (size_t i = 0; i < count; ++i) {
    if (i >= params.size() || params[i].keyword_only) {
      size_t accepted = 0;
      while (accepted < params.size() && !params[accepted].keyword_only) ++accepted;
      type_error(shown_name(self), "() takes ", accepted, " positional argument", accepted == 1 ? "" : "s",
                 " but ", count, count == 1 ? " was" : " were", " given; accepted are (",
                 listed_parameters(self), ")");
    }
    if (params[i].gathers) {
      return gather_positional(self, static_cast<size_t>(params[i].target), args + i, count - i, out);
    }
    out.set(self, static_cast<size_t>(params[i].target), args[i]);
  }
}

/// Parameters that the caller left out: the face's default, else the operator's own.
void fill_defaults(const OpFunction& self, Collected& out) {
  const auto& own = self.op->signature.params;
  const uint32_t all = (1u << own.size()) - 1;
  if (out.given == all) return;
  for (const FaceParam& param : self.face->params) {
    const uint32_t bit = 1u << param.target;
    if ((out.given & bit) || !param.has_default) continue;
    out.args[static_cast<size_t>(param.target)] = param.default_value;
    out.given |= bit;
  }
  for (size_t i = 0; i < own.size(); ++i) {
    if (out.given & (1u << i)) continue;
    if (own[i].has_default) {
      out.args[i] = own[i].default_value;
    } else if (!own[i].optional) {
      type_error(shown_name(self), "() missing 1 required positional argument: '", own[i].name,
                 "'; it must be ", kind_text(own[i].kind));
    }
  }
}

PyObject* results_tuple(ValueList results) {
  Object tuple = check(PyTuple_New(static_cast<Py_ssize_t>(results.size())));
  for (size_t i = 0; i < results.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), wrap(std::move(results[i])));
  }
  return tuple.release();
}

PyObject* run(const OpFunction& self, PyObject* target, Collected& collected) {
  const Op& op = *self.op;
  const std::span<Arg> args = collected.args;
  apply_graph_numbers(op, args);
  if (self.in_place) {
    eager::call_into(op, args, tensor_of(target));
    return Py_NewRef(target);
  }
  apply_precision(op, args);
  if (op.signature.results == 1 && !op.signature.results_listed) {
    Value result = eager::call_one(op, args);
    if (op.writes >= 0 && target && is_tensor(target) && result == Value(tensor_of(target))) {
      if (self.is_method || Py_TYPE(target) == tensor_type()) return Py_NewRef(target);
      // A function that writes a Parameter gives what it now holds, as a plain Tensor over the same memory
      // that is differentiated like any later read of the Parameter.
      static const Op& reshape = OpTable::instance().get("reshape");
      const Dims shape = result->shape;
      const Arg held[] = {std::move(result), shape};
      return wrap(eager::call_one(reshape, held));
    }
    return wrap(in_result_precision(op, std::move(result)));
  }
  ValueList results;
  eager::call(op, args, results);
  for (Value& result : results) result = in_result_precision(op, std::move(result));
  if (op.signature.results == 0) Py_RETURN_NONE;
  if (op.signature.lone_result && results.size() == 1) return wrap(std::move(results.front()));
  return results_tuple(std::move(results));
}

/// One call as the interpreter hands it over.
struct Given {
  PyObject* const* args;
  size_t count;
  PyObject* keywords;  ///< names of the arguments after the positional ones, or null

  PyObject* first() const { return count > 0 ? args[0] : nullptr; }
};

/// Binds the given arguments to the operator's parameters; raises where they do not fit.
void collect(const OpFunction& self, const Given& given, Collected& out) {
  const size_t own = self.is_method ? 1 : 0;
  if (given.count < own) type_error(shown_name(self), ": this method needs a Tensor as its first argument");
  if (self.is_method) out.set(self, 0, given.args[0]);
  collect_positional(self, given.args + own, given.count - own, out);
  if (given.keywords) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given.keywords); ++i) {
      const size_t target = target_of_keyword(self, PyTuple_GET_ITEM(given.keywords, i));
      out.set(self, target, given.args[given.count + static_cast<size_t>(i)]);
    }
  }
  fill_defaults(self, out);
}

/// What errors of a running graph call the operator.
std::string name_in_graph(const OpFunction& self) {
  std::string blamed = blamed_name();
  return blamed.empty() ? std::string(shown_name(self)) : blamed;
}

PyObject* run_recorded(const OpFunction& self, PyObject* target, Collected& collected) {
  const std::string known_as = name_in_graph(self);
  const tracing::CalledAs name(known_as);
  return run(self, target, collected);
}

PyObject* run_named(const OpFunction& self, PyObject* target, Collected& collected) {
  const bool captures = Storage::captures.load(std::memory_order_relaxed) != 0;
  try {
    return captures ? run_recorded(self, target, collected) : run(self, target, collected);
  } catch (const Error& error) {
    raise_as_called(shown_name(self), error);
  }
}

/// Tries the forms after the first, which refused the arguments with `refusal`.
PyObject* call_further(const OpFunction& first, const Given& given, const Error& refusal) {
  for (PyObject* next = first.further; next; next = cast(next)->further) {
    const OpFunction& self = *cast(next);
    Collected collected(self.op->signature.params.size());
    try {
      collect(self, given, collected);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kType) continue;
      throw;
    }
    return run_named(self, given.first(), collected);
  }
  throw refusal;
}

PyObject* call(PyObject* callable, PyObject* const* args, size_t flags, PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    const OpFunction& self = *cast(callable);
    const Given given{args, static_cast<size_t>(PyVectorcall_NARGS(flags)), keywords};
    Collected collected(self.op->signature.params.size());
    try {
      collect(self, given, collected);
    } catch (const Error& error) {
      if (!self.further || error.kind() != ErrorKind::kType) throw;
      return call_further(self, given, error);
    }
    return run_named(self, given.first(), collected);
  });
}

PyObject* function_get(PyObject* self, PyObject* instance, PyObject*) {
  if (!instance || instance == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, instance);
}

PyObject* function_repr(PyObject* self) {
  return PyUnicode_FromFormat("<operator %s>", std::string(shown_name(*cast(self))).c_str());
}

PyObject* function_name(PyObject* self, void*) { return Py_NewRef(cast(self)->name); }
PyObject* function_summary(PyObject* self, void*) {
  const std::string_view doc = cast(self)->op->doc;
  return PyUnicode_FromStringAndSize(doc.data(), static_cast<Py_ssize_t>(doc.size()));
}
/// The operator's page, written when it is read. Its example is a call, so while a graph is traced this is
/// only the summary.
PyObject* function_doc(PyObject* self, void*) {
  if (tracing::current()) return function_summary(self, nullptr);
  Object pages = Object::take(PyImport_ImportModule("dyad._src.observe.operator_pages"));
  if (!pages) return nullptr;
  return PyObject_CallMethod(pages.get(), "docstring", "Os", self, cast(self)->op->name.c_str());
}
PyObject* function_module(PyObject*, void*) { return PyUnicode_FromString("dyad.ops"); }
PyObject* function_signature(PyObject* self, void*) {
  return guarded([&] { return signature_object(*cast(self)->op, *cast(self)->face, cast(self)->is_method); });
}

/// Positions, `self` being the first of a method, of the arguments that a call changes in place.
PyObject* function_writes(PyObject* self, void*) {
  const OpFunction& function = *cast(self);
  const auto& params = function.face->params;
  const size_t lead = function.is_method ? 1 : 0;
  std::vector<size_t> written;
  if (function.is_method && (function.in_place || function.op->consumes(0))) written.push_back(0);
  for (size_t i = 0; i < params.size(); ++i) {
    if (function.op->consumes(static_cast<size_t>(params[i].target))) written.push_back(lead + i);
  }
  PyObject* positions = PyTuple_New(static_cast<Py_ssize_t>(written.size()));
  for (size_t i = 0; positions && i < written.size(); ++i) {
    PyTuple_SET_ITEM(positions, static_cast<Py_ssize_t>(i), PyLong_FromSize_t(written[i]));
  }
  return positions;
}

/// Pickles by name: operators are looked up again where they are loaded.
PyObject* function_reduce(PyObject* self, PyObject*) {
  const OpFunction& function = *cast(self);
  if (function.is_method)
    return PyErr_Format(PyExc_TypeError, "the method %U cannot be pickled", function.name);
  Object module = Object::take(PyImport_ImportModule("dyad.ops"));
  if (!module) return nullptr;
  Object getter = Object::take(PyObject_GetAttrString(module.get(), "_by_name"));
  return getter ? Py_BuildValue("O(O)", getter.get(), function.name) : nullptr;
}

void function_dealloc(PyObject* self) {
  for (PyObject* name : *cast(self)->names) Py_DECREF(name);
  delete cast(self)->names;
  Py_XDECREF(cast(self)->name);
  Py_XDECREF(cast(self)->further);
  PyTypeObject* own = Py_TYPE(self);
  own->tp_free(self);
  Py_DECREF(own);
}

PyGetSetDef attributes[] = {
    {"__name__", function_name, nullptr, nullptr, nullptr},
    {"__qualname__", function_name, nullptr, nullptr, nullptr},
    {"__doc__", function_doc, nullptr, nullptr, nullptr},
    {"_summary", function_summary, nullptr, nullptr, nullptr},
    {"__module__", function_module, nullptr, nullptr, nullptr},
    {"__signature__", function_signature, nullptr, nullptr, nullptr},
    {"_writes", function_writes, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"__reduce__", function_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OpFunction, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot function_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(function_dealloc)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_repr, reinterpret_cast<void*>(function_repr)},
    {Py_tp_getset, attributes},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {0, nullptr},
};

PyType_Slot method_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(function_dealloc)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void*>(function_get)},
    {Py_tp_repr, reinterpret_cast<void*>(function_repr)},
    {Py_tp_getset, attributes},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {0, nullptr},
};

constexpr unsigned kFlags =
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION;
PyType_Spec function_spec = {"dyad._core.OpFunction", sizeof(OpFunction), 0, kFlags, function_slots};
PyType_Spec method_spec = {"dyad._core.OpMethod", sizeof(OpFunction), 0,
                           kFlags | Py_TPFLAGS_METHOD_DESCRIPTOR, method_slots};

PyTypeObject* add_type(PyObject* module, PyType_Spec& spec, const char* name) {
  Object type = check(PyType_FromSpec(&spec));
  if (PyModule_AddObjectRef(module, name, type.get()) < 0) throw PythonError{};
  return reinterpret_cast<PyTypeObject*>(type.release());
}

}  // namespace

void add_op_function_type(PyObject* module) {
  function_type = add_type(module, function_spec, "OpFunction");
  method_type = add_type(module, method_spec, "OpMethod");
}

PyObject* make_op_function(const Op& op, const Face& face, bool is_method, bool in_place) {
  DYAD_ASSERT(op.signature.params.size() <= kMaxParams);
  PyTypeObject* type = is_method ? method_type : function_type;
  Object object = check(type->tp_alloc(type, 0));
  OpFunction& self = *cast(object.get());
  self.vectorcall = call;
  self.op = &op;
  self.face = &face;
  self.is_method = is_method;
  self.in_place = in_place;
  self.names = new std::vector<PyObject*>;
  for (const FaceParam& param : face.params) {
    self.names->push_back(check(PyUnicode_InternFromString(param.name.c_str())).release());
  }
  self.name = check(PyUnicode_InternFromString(face.name.c_str())).release();
  return object.release();
}

const Op* op_behind(PyObject* function) {
  const PyTypeObject* type = Py_TYPE(function);
  return type == function_type || type == method_type ? cast(function)->op : nullptr;
}

void add_form(PyObject* function, PyObject* further) {
  OpFunction* last = cast(function);
  while (last->further) last = cast(last->further);
  last->further = Py_NewRef(further);
}

}  // namespace dyad::python
