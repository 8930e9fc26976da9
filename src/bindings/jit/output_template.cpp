#include "bindings/jit/output_template.h"

#include "base/error.h"
#include "base/small_vector.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/tensor_object.h"
#include "ops/call.h"

namespace dyad::python {

namespace {

DYAD_USE(copy);

size_t read_index(PyObject* form, const char* what, size_t limit) {
  PyObject* object = PyTuple_GET_ITEM(form, 1);
  const size_t index = PyLong_Check(object) ? PyLong_AsSize_t(object) : limit;
  if (PyErr_Occurred()) PyErr_Clear();
  if (index >= limit)
    index_error("CompiledEntry: a template names ", what, " ", describe(object), "; there are ", limit);
  return index;
}

void require_size(PyObject* form, Py_ssize_t size) {
  if (PyTuple_GET_SIZE(form) != size) {
    type_error("CompiledEntry: the template ", describe(form), " has ", PyTuple_GET_SIZE(form),
               " parts; need ", size);
  }
}

/// Shared objects are few; a larger number is a mistake and must not be allocated.
constexpr size_t kMostShared = 1 << 20;

/// With more inputs than this a result is not compared with each of them.
constexpr size_t kFewInputs = 8;

/// The object that the caller gave for a tensor; null if it gave none.
PyObject* given_object(const ValueImpl* tensor, OutputTemplate::Outcome& outcome) {
  const auto tensor_given = [&](guards::Tree::Id id) -> const ValueImpl* {
    PyObject* given = outcome.found[id];
    return is_tensor(given) ? tensor_of(given).get() : nullptr;
  };
  if (outcome.inputs.size() <= kFewInputs) {
    for (const guards::Tree::Id id : outcome.inputs) {
      if (tensor_given(id) == tensor) return outcome.found[id];
    }
    return nullptr;
  }
  if (outcome.given.empty()) {
    outcome.given.reserve(outcome.inputs.size());
    for (const guards::Tree::Id id : outcome.inputs) {
      if (const ValueImpl* known = tensor_given(id)) outcome.given.emplace(known, outcome.found[id]);
    }
  }
  const auto found = outcome.given.find(tensor);
  return found == outcome.given.end() ? nullptr : found->second;
}

/// The Python object of a result. A result that is an input stays the object that the caller gave.
Object tensor_object(const Value& value, OutputTemplate::Outcome& outcome) {
  if (PyObject* given = given_object(value.get(), outcome)) return Object::share(given);
  return check(wrap(value));
}

}  // namespace

OutputTemplate::OutputTemplate(PyObject* form, const Limits& limits, size_t& shared_count) {
  if (!PyTuple_Check(form) || PyTuple_GET_SIZE(form) < 2 || !PyUnicode_Check(PyTuple_GET_ITEM(form, 0))) {
    type_error("CompiledEntry: a template is ", describe(form), "; need a tuple such as ('result', 0)");
  }
  Py_ssize_t length = 0;
  const char* kind = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(form, 0), &length);
  if (!kind) throw PythonError{};
  if (Py_EnterRecursiveCall(" while a template is read")) throw PythonError{};
  struct Leave {
    ~Leave() { Py_LeaveRecursiveCall(); }
  } const leave;
  read({kind, static_cast<size_t>(length)}, form, limits, shared_count);
}

void OutputTemplate::read(std::string_view kind, PyObject* form, const Limits& limits, size_t& shared_count) {
  PyObject* first = PyTuple_GET_ITEM(form, 1);
  const bool has_three = kind == "build" || kind == "choice" || kind == "shared";
  require_size(form, has_three ? 3 : 2);
  PyObject* second = has_three ? PyTuple_GET_ITEM(form, 2) : nullptr;
  if (kind == "result") {
    kind_ = Kind::kResult;
    index_ = read_index(form, "result", limits.results);
  } else if (kind == "constant") {
    kind_ = Kind::kConstant;
    object_ = Object::share(first);
  } else if (kind == "fresh") {
    kind_ = Kind::kFresh;
    if (!is_tensor(first))
      type_error("CompiledEntry: 'fresh' was given ", describe(first), "; need a Tensor");
    object_ = Object::share(first);
  } else if (kind == "source") {
    kind_ = Kind::kSource;
    index_ = read_index(form, "node", limits.nodes);
  } else if (kind == "list" || kind == "tuple") {
    kind_ = kind == "list" ? Kind::kList : Kind::kTuple;
    read_parts(first, limits, shared_count);
  } else if (kind == "dict") {
    kind_ = Kind::kDict;
    read_entries(first, limits, shared_count);
  } else if (kind == "build") {
    kind_ = Kind::kBuild;
    object_ = Object::share(first);
    read_parts(second, limits, shared_count);
  } else if (kind == "choice") {
    kind_ = Kind::kChoice;
    index_ = read_index(form, "result", limits.results);
    read_parts(second, limits, shared_count);
  } else if (kind == "shared") {
    kind_ = Kind::kShared;
    index_ = read_index(form, "shared object", kMostShared);
    shared_count = std::max(shared_count, index_ + 1);
    parts_.emplace_back(second, limits, shared_count);
  } else {
    type_error("CompiledEntry: there is no template '", kind, "'");
  }
}

void OutputTemplate::read_parts(PyObject* parts, const Limits& limits, size_t& shared_count) {
  const Object items = check(PySequence_Tuple(parts));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i)
    parts_.emplace_back(PyTuple_GET_ITEM(items.get(), i), limits, shared_count);
}

void OutputTemplate::read_entries(PyObject* entries, const Limits& limits, size_t& shared_count) {
  const Object items = check(PySequence_Tuple(entries));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
    PyObject* entry = PyTuple_GET_ITEM(items.get(), i);
    if (!PyTuple_Check(entry) || PyTuple_GET_SIZE(entry) != 2)
      type_error("CompiledEntry: an entry of a dict is ", describe(entry),
                 "; need a pair of key and template");
    keys_.push_back(Object::share(PyTuple_GET_ITEM(entry, 0)));
    parts_.emplace_back(PyTuple_GET_ITEM(entry, 1), limits, shared_count);
  }
}

Object OutputTemplate::build(Outcome& outcome) const {
  switch (kind_) {
    case Kind::kResult: {
      const Arg& result = outcome.results[index_];
      if (const Value* value = result.get<Value>()) return tensor_object(*value, outcome);
      return check(arg_object(result));
    }
    case Kind::kConstant:
      return Object::share(object_.get());
    case Kind::kFresh:
      return check(wrap(copy(tensor_of(object_.get()))));
    case Kind::kSource:
      return Object::share(outcome.found[index_]);
    case Kind::kList: {
      Object list = check(PyList_New(static_cast<Py_ssize_t>(parts_.size())));
      for (size_t i = 0; i < parts_.size(); ++i)
        PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), parts_[i].build(outcome).release());
      return list;
    }
    case Kind::kTuple: {
      Object tuple = check(PyTuple_New(static_cast<Py_ssize_t>(parts_.size())));
      for (size_t i = 0; i < parts_.size(); ++i)
        PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), parts_[i].build(outcome).release());
      return tuple;
    }
    case Kind::kDict:
      return build_dict(outcome);
    case Kind::kBuild:
      return call(outcome);
    case Kind::kChoice:
      return chosen(outcome).build(outcome);
    case Kind::kShared: {
      if (!outcome.shared[index_]) outcome.shared[index_] = parts_[0].build(outcome);
      return Object::share(outcome.shared[index_].get());
    }
  }
  return {};
}

Object OutputTemplate::build_dict(Outcome& outcome) const {
  Object dict = check(PyDict_New());
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Object value = parts_[i].build(outcome);
    if (PyDict_SetItem(dict.get(), keys_[i].get(), value.get()) < 0) throw PythonError{};
  }
  return dict;
}

Object OutputTemplate::call(Outcome& outcome) const {
  std::vector<Object> values;
  SmallVector<PyObject*, 6> arguments;
  for (const OutputTemplate& part : parts_) {
    values.push_back(part.build(outcome));
    arguments.push_back(values.back().get());
  }
  return check(PyObject_Vectorcall(object_.get(), arguments.data(), arguments.size(), nullptr));
}

const OutputTemplate& OutputTemplate::chosen(const Outcome& outcome) const {
  const Scalar* number = outcome.results[index_].get<Scalar>();
  if (!number) runtime_error("CompiledEntry: result ", index_, " decides between templates and is no number");
  const int64_t which = number->to_int();
  if (which < 0 || static_cast<size_t>(which) >= parts_.size())
    index_error("CompiledEntry: template ", which, " was chosen; there are ", parts_.size());
  return parts_[static_cast<size_t>(which)];
}

int OutputTemplate::traverse(visitproc visit, void* arg) const {
  Py_VISIT(object_.get());
  for (const Object& key : keys_) Py_VISIT(key.get());
  for (const OutputTemplate& part : parts_) {
    if (const int stop = part.traverse(visit, arg)) return stop;
  }
  return 0;
}

}  // namespace dyad::python
