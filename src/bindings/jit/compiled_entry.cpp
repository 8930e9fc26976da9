#include "bindings/jit/compiled_entry.h"

#include "base/error.h"
#include "bindings/jit/module.h"
#include "bindings/jit/program.h"
#include "bindings/process/errors.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/nested.h"
#include "bindings/tensor/tensor_object.h"

namespace nb = nanobind;

namespace dyad::python {

namespace {

bool same_names(PyObject* a, PyObject* b) {
  if (a == b) return true;
  const Py_ssize_t count = PyTuple_GET_SIZE(a);
  if (count != PyTuple_GET_SIZE(b)) return false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* name = PyTuple_GET_ITEM(a, i);
    if (name != PyTuple_GET_ITEM(b, i) && PyUnicode_Compare(name, PyTuple_GET_ITEM(b, i)) != 0) return false;
  }
  return true;
}

void require_names(PyObject* keywords) {
  bool right = PyTuple_CheckExact(keywords);
  for (Py_ssize_t i = 0; right && i < PyTuple_GET_SIZE(keywords); ++i)
    right = PyUnicode_Check(PyTuple_GET_ITEM(keywords, i));
  if (!right) type_error("CompiledEntry: keywords is ", describe(keywords), "; need a tuple of names");
}

guards::Tree* tree_of(PyObject* object) {
  guards::Tree* tree = nullptr;
  if (!nb::try_cast(nb::handle(object), tree) || !tree)
    type_error("CompiledEntry: tree is ", describe(object), "; need a GuardTree");
  return tree;
}

/// False for an int beyond 64 bits; another object than a number is an error.
bool number_input(PyObject* object, Arg& out) {
  if (PyFloat_CheckExact(object)) {
    out = Arg(PyFloat_AS_DOUBLE(object));
    return true;
  }
  if (PyBool_Check(object)) {
    out = Arg(object == Py_True);
    return true;
  }
  if (PyLong_Check(object)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0) return false;
    out = Arg(static_cast<int64_t>(number));
    return true;
  }
  Number number;
  if (!read_number(object, number))
    type_error("CompiledEntry: an input is ", describe(object), "; need a Tensor or a number");
  out = Arg(number.value);
  return !number.beyond_int64;
}

}  // namespace

CompiledEntry::CompiledEntry(size_t positional, PyObject* keywords, PyObject* tree, PyObject* program,
                             PyObject* output, PyObject* effects, PyObject* failure)
    : positional_(positional),
      keywords_(Object::share(keywords)),
      tree_object_(Object::share(tree)),
      tree_(tree_of(tree)),
      program_(Object::share(program)),
      failure_(Object::share(failure)) {
  require_names(keywords);
  size_t wanted = 0;
  if (program != Py_None) {
    if (!is_program(program)) type_error("CompiledEntry: program is ", describe(program), "; need a Program");
    result_count_ = result_count(program);
    wanted = given_count(program);
  }
  if (tree_->inputs().size() != wanted) {
    value_error("CompiledEntry: the guards name ", tree_->inputs().size(), " inputs; the program takes ",
                wanted);
  }
  const OutputTemplate::Limits limits{result_count_, tree_->size()};
  const Object items = check(PySequence_Tuple(effects));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i)
    templates_.emplace_back(PyTuple_GET_ITEM(items.get(), i), limits, shared_count_);
  templates_.emplace_back(output, limits, shared_count_);
  tree_->close();
}

bool CompiledEntry::takes(size_t positional, PyObject* keywords) const {
  if (positional != positional_) return false;
  const bool has_none = !keywords || PyTuple_GET_SIZE(keywords) == 0;
  return has_none ? PyTuple_GET_SIZE(keywords_.get()) == 0 : same_names(keywords_.get(), keywords);
}

bool CompiledEntry::take_inputs(const guards::Found& found, std::vector<Arg>& inputs) const {
  inputs.reserve(tree_->inputs().size());
  for (const guards::Tree::Id id : tree_->inputs()) {
    PyObject* object = found[id];
    if (is_tensor(object)) {
      inputs.emplace_back(Value(tensor_of(object)));
    } else if (!number_input(object, inputs.emplace_back())) {
      return false;
    }
  }
  return true;
}

Object CompiledEntry::run(const guards::Found& found, std::span<const Arg> inputs) const {
  std::vector<Arg> results;
  if (program_.get() != Py_None) {
    results.reserve(result_count_);
    if (failure_.get() == Py_None) {
      run_program(program_.get(), inputs, results);
    } else {
      run_watched(found, inputs, results);
    }
  }
  OutputTemplate::Outcome outcome{results, found, tree_->inputs(), std::vector<Object>(shared_count_)};
  for (size_t i = 0; i + 1 < templates_.size(); ++i) templates_[i].build(outcome);
  return templates_.back().build(outcome);
}

void CompiledEntry::run_watched(const guards::Found& found, std::span<const Arg> inputs,
                                std::vector<Arg>& results) const {
  try {
    run_program(program_.get(), inputs, results);
  } catch (const PythonError&) {
    RaisedError error;
    Object objects = check(PyTuple_New(static_cast<Py_ssize_t>(tree_->size())));
    for (size_t i = 0; i < tree_->size(); ++i) {
      PyObject* object = found[static_cast<guards::Tree::Id>(i)];
      PyTuple_SET_ITEM(objects.get(), static_cast<Py_ssize_t>(i), Py_NewRef(object ? object : Py_None));
    }
    check(PyObject_CallFunctionObjArgs(failure_.get(), error.value(), objects.get(), nullptr));
    error.restore();
    throw;
  }
}

int CompiledEntry::traverse(visitproc visit, void* arg) const {
  Py_VISIT(keywords_.get());
  Py_VISIT(tree_object_.get());
  Py_VISIT(program_.get());
  Py_VISIT(failure_.get());
  for (const OutputTemplate& part : templates_) {
    if (const int stop = part.traverse(visit, arg)) return stop;
  }
  return 0;
}

CompiledEntry* entry_of(PyObject* object) {
  CompiledEntry* entry = nullptr;
  return nb::try_cast(nb::handle(object), entry) ? entry : nullptr;
}

namespace {

int entry_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<CompiledEntry>(self)->traverse(visit, arg) : 0;
}

PyType_Slot slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(entry_traverse)},
    {0, nullptr},
};

}  // namespace

void add_compiled_entry(nb::module_& module) {
  nb::class_<CompiledEntry> type(module, "CompiledEntry", nb::type_slots(slots), nb::is_weak_referenceable(),
                                 "One compiled form of a function, and for which calls it stands.");
  type.def(
      "__init__",
      [](CompiledEntry* self, size_t positional, nb::handle keywords, nb::handle tree, nb::handle program,
         nb::handle output, nb::handle effects, nb::handle failure) {
        new (self) CompiledEntry(positional, keywords.ptr(), tree.ptr(), program.ptr(), output.ptr(),
                                 effects.ptr(), failure.ptr());
      },
      nb::arg("positional"), nb::arg("keywords"), nb::arg("tree"), nb::arg("program").none(),
      nb::arg("output"), nb::arg("effects") = nb::tuple(), nb::arg("failure") = nb::none(),
      "`failure(error, found)` is called when running raised, with what the guards found, by node.");
  const auto shared = [](PyObject* object) { return nb::borrow(object); };
  type.def_prop_ro("positional", &CompiledEntry::positional, "Number of arguments by position.");
  type.def_prop_ro(
      "keywords", [=](const CompiledEntry& e) { return shared(e.keywords()); }, "Names of the keywords.");
  type.def_prop_ro("tree", [=](const CompiledEntry& e) { return shared(e.tree_object()); }, "Its guards.");
  type.def_prop_ro(
      "program", [=](const CompiledEntry& e) { return shared(e.program()); }, "What it runs, or None.");
}

}  // namespace dyad::python
