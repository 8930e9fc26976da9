#include "bindings/jit/module.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "autograd/state.h"
#include "base/error.h"
#include "bindings/op/precision.h"
#include "bindings/tensor/convert.h"
#include "bindings/tensor/tensor_object.h"
#include "capture/guards/tensor_access.h"
#include "capture/guards/tree.h"
#include "eager/dispatch.h"
#include "runtime/context.h"

namespace nb = nanobind;

namespace dyad::python {

namespace {

using guards::State;
using guards::Tree;

bool tensor_form(PyObject* object, guards::TensorForm& out) {
  if (!is_tensor(object)) return false;
  const auto& self = *reinterpret_cast<TensorObject*>(object);
  if (self.tensor) {
    out = {self.tensor->dtype, &self.tensor->shape, self.tensor.get()};
    return true;
  }
  if (!self.pending) return false;
  out = {self.pending->dtype, &self.pending->shape, nullptr};
  return true;
}

int64_t compute_dtype() {
  const std::optional<DType> dtype = compute_dtype_of_thread();
  return dtype ? static_cast<int64_t>(*dtype) : guards::kNoDType;
}

void add_states() {
  using Form = State::Form;
  guards::add_state({"mode", Form::kNumber, [] { return static_cast<int64_t>(Context::process().mode()); }});
  guards::add_state(
      {"deterministic", Form::kFlag, []() -> int64_t { return Context::process().deterministic(); }});
  guards::add_state({"grad_enabled", Form::kFlag, []() -> int64_t { return autograd::state().enabled; }});
  guards::add_state({"recording", Form::kFlag, []() -> int64_t { return autograd::state().depth > 0; }});
  // Outside transforms too, for leaves of `backward()` and for what was computed from them.
  guards::add_state({"may_record", Form::kFlag, []() -> int64_t {
                       return eager::reasons_to_record.load(std::memory_order_relaxed) > 0;
                     }});
  guards::add_state({"transforms", Form::kNumber, []() -> int64_t { return autograd::state().depth; }});
  guards::add_state({"compute_dtype", Form::kDType, compute_dtype});
  guards::add_state({"autocast", Form::kNumber, autocast_of_thread});
}

nb::object state_object(const State& state, int64_t value) {
  switch (state.form) {
    case State::Form::kFlag:
      return nb::bool_(value != 0);
    case State::Form::kNumber:
      return nb::int_(value);
    case State::Form::kDType:
      return value == guards::kNoDType ? nb::none() : nb::steal(dtype_object(static_cast<DType>(value)));
  }
  return nb::none();
}

int64_t state_value(const State& state, nb::handle object) {
  if (state.form == State::Form::kDType) {
    if (object.is_none()) return guards::kNoDType;
    if (is_dtype(object.ptr())) return static_cast<int64_t>(dtype_of(object.ptr()));
  } else if (PyLong_Check(object.ptr())) {
    return nb::cast<int64_t>(object);
  }
  type_error("check_state: the value of '", state.name, "' is ", describe(object.ptr()), "; need ",
             state.form == State::Form::kDType ? "a dtype or None" : "a bool or int");
}

nb::object read_state(std::string_view name) {
  const State& state = guards::find_state(name);
  return state_object(state, state.read());
}

void check_tensor(Tree& tree, Tree::Id id, nb::handle dtype, nb::sequence shape,
                  std::optional<bool> contiguous, nb::handle type) {
  if (!is_dtype(dtype.ptr())) {
    type_error("check_tensor: dtype is ", describe(dtype.ptr()),
               "; it must be a framework dtype such as float32");
  }
  if (!type.is_none() && !PyType_Check(type.ptr()))
    type_error("check_tensor: type is ", describe(type.ptr()), "; need a class or None");
  guards::TensorDemand demand{.dtype = dtype_of(dtype.ptr()), .contiguous = contiguous};
  for (nb::handle size : shape) {
    demand.shape.push_back(size.is_none() ? std::nullopt : std::optional(nb::cast<int64_t>(size)));
  }
  if (!type.is_none()) demand.type = reinterpret_cast<PyTypeObject*>(type.ptr());
  tree.check(id, guards::check_tensor(std::move(demand)));
}

void check_size(Tree& tree, Tree::Id id, size_t axis, int64_t low, std::optional<int64_t> high,
                int64_t divisor, int64_t remainder) {
  if (divisor < 1) value_error("check_size: divisor is ", divisor, "; need an int of at least 1");
  tree.check(id, guards::check_size(axis, {low, high, divisor, remainder}));
}

/// The arguments of a call as the tree counts them: by position, then the values of the keywords. The second
/// part is the dict of keywords, or their names where `args` holds their values already.
std::vector<PyObject*> flat_arguments(nb::tuple args, nb::handle keywords) {
  std::vector<PyObject*> flat;
  for (nb::handle value : args) flat.push_back(value.ptr());
  if (PyDict_Check(keywords.ptr())) {
    PyObject *name, *value;
    for (Py_ssize_t at = 0; PyDict_Next(keywords.ptr(), &at, &name, &value);) flat.push_back(value);
  }
  return flat;
}

const char* name_of(guards::GuardKind kind) {
  static constexpr const char* kNames[] = {"presence", "absence", "type",   "identity", "value",
                                           "length",   "keys",    "tensor", "size",     "array",
                                           "memory",   "objects", "state",  "call"};
  return kNames[static_cast<size_t>(kind)];
}

const char* name_of(guards::Difference difference) {
  static constexpr const char* kNames[] = {"", "shape", "form", "number", "gone"};
  return kNames[static_cast<size_t>(difference)];
}

nb::object failure(const Tree& tree, nb::tuple args, nb::handle keywords) {
  const std::optional<Tree::Failure> found = tree.failure(flat_arguments(args, keywords));
  if (!found) return nb::none();
  return nb::make_tuple(found->subject, found->expected, found->actual, name_of(found->kind),
                        name_of(found->difference), found->of_argument);
}

nb::list demands(const Tree& tree) {
  nb::list made;
  for (const Tree::Demand& demand : tree.demands())
    made.append(nb::make_tuple(name_of(demand.kind), demand.subject, demand.expected));
  return made;
}

bool matches(const Tree& tree, nb::tuple args, nb::handle keywords) {
  guards::Found found(tree.size());
  return tree.matches(flat_arguments(args, keywords), found);
}

bool overlaps(nb::handle a, nb::handle b) {
  guards::TensorForm first, second;
  if (!tensor_form(a.ptr(), first) || !tensor_form(b.ptr(), second))
    type_error("memory_overlaps: got ", describe(a.ptr()), " and ", describe(b.ptr()), "; need two Tensors");
  if (!first.tensor || !second.tensor) return false;
  guards::Extent extents[] = {guards::Extent(*first.tensor), guards::Extent(*second.tensor)};
  return guards::overlap(extents);
}

PyTypeObject* need_type(nb::handle type) {
  if (!PyType_Check(type.ptr())) type_error("check_type: type is ", describe(type.ptr()), "; need a class");
  return reinterpret_cast<PyTypeObject*>(type.ptr());
}

int tree_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<Tree>(self)->traverse(visit, arg) : 0;
}

int tree_clear(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<Tree>(self)->clear();
  return 0;
}

PyType_Slot slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(tree_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(tree_clear)},
    {0, nullptr},
};

void add_look_ups(nb::class_<Tree>& type) {
  type.def("argument", &Tree::argument, nb::arg("index"), nb::arg("name") = "",
           "The argument of that number: by position first, then the keywords in order.");
  type.def(
      "object",
      [](Tree& t, nb::handle o, bool weak, std::string name) {
        return t.object(o.ptr(), weak, std::move(name));
      },
      nb::arg("object").none(), nb::arg("weak") = false, nb::arg("name") = "", "A fixed object.");
  type.def(
      "attribute", [](Tree& t, Tree::Id p, nb::str n) { return t.attribute(p, n.ptr()); },
      "What the object itself holds under a name.");
  type.def(
      "class_attribute", [](Tree& t, Tree::Id p, nb::str n) { return t.class_attribute(p, n.ptr()); },
      "What the object's class, or the object if it is a class, holds or inherits under a name.");
  type.def(
      "item", [](Tree& t, Tree::Id p, nb::handle k) { return t.item(p, k.ptr()); }, nb::arg("node"),
      nb::arg("key").none(), "The value of a dict under a key.");
  type.def("element", &Tree::element, "The element of a tuple or list.");
  type.def("cell_contents", &Tree::cell_contents, "What the cell of a closure holds.");
}

void add_checks(nb::class_<Tree>& type) {
  type.def(
      "missing_attribute", [](Tree& t, Tree::Id p, nb::str n) { t.missing_attribute(p, n.ptr()); },
      "Demands that the object itself holds nothing under the name.");
  type.def(
      "missing_class_attribute",
      [](Tree& t, Tree::Id p, nb::str n) { t.missing_class_attribute(p, n.ptr()); },
      "Demands that the class has nothing under the name.");
  type.def(
      "missing_item", [](Tree& t, Tree::Id p, nb::handle k) { t.missing_item(p, k.ptr()); }, nb::arg("node"),
      nb::arg("key").none(), "Demands that the dict has no such key.");
  type.def(
      "check_type", [](Tree& t, Tree::Id id, nb::handle wanted) { t.check_type(id, need_type(wanted)); },
      "Demands this very type.");
  type.def(
      "check_identity",
      [](Tree& t, Tree::Id id, nb::handle o, bool weak) { t.check_identity(id, o.ptr(), weak); },
      nb::arg("node"), nb::arg("object").none(), nb::arg("weak") = true,
      "Demands this very object; with weak it is not kept alive where its type allows that.");
  type.def(
      "check_equal", [](Tree& t, Tree::Id id, nb::handle v) { t.check(id, guards::check_equal(v.ptr())); },
      nb::arg("node"), nb::arg("value").none(), "Demands the same type and value, all the way down.");
  type.def(
      "check_length", [](Tree& t, Tree::Id id, Py_ssize_t n) { t.check(id, guards::check_length(n)); },
      "Demands so many entries of a tuple, list, dict, set, str or bytes.");
  type.def(
      "check_keys", [](Tree& t, Tree::Id id, nb::tuple keys) { t.check(id, guards::check_keys(keys.ptr())); },
      "Demands that a dict has these keys in this order.");
  type.def("check_tensor", check_tensor, nb::arg("node"), nb::arg("dtype"), nb::arg("shape"),
           nb::arg("contiguous").none() = nb::none(), nb::arg("type").none() = nb::none(),
           "Demands a tensor of this dtype and shape, None for a symbolic dimension.");
  type.def("check_size", check_size, nb::arg("node"), nb::arg("axis"), nb::arg("low"),
           nb::arg("high").none() = nb::none(), nb::arg("divisor") = 1, nb::arg("remainder") = 0,
           "Demands a size within limits along an open axis of a tensor.");
  type.def("check_same_size", &Tree::check_same_size, nb::arg("node"), nb::arg("axis"), nb::arg("other"),
           nb::arg("other_axis"), "Demands that two open axes have one size.");
  type.def(
      "check_array", [](Tree& t, Tree::Id id, nb::handle a) { t.check(id, guards::check_array(a.ptr())); },
      "Demands a NumPy array of the same dtype, shape and values.");
  type.def("check_alias", &Tree::check_alias, "Demands that two nodes are one object.");
  type.def("check_disjoint_memory", &Tree::check_disjoint_memory,
           "Demands that no two of the tensors share memory.");
  type.def("check_distinct_objects", &Tree::check_distinct_objects,
           "Demands that no two of the objects are the same one.");
  type.def(
      "check_state",
      [](Tree& t, std::string_view name, nb::handle value) {
        const State& state = guards::find_state(name);
        t.check_state(state, state_value(state, value));
      },
      nb::arg("name"), nb::arg("value").none(), "Demands a state of the process or thread.");
  type.def(
      "check_call",
      [](Tree& t, Tree::Id id, nb::handle callable, nb::handle expected) {
        t.check(id, guards::check_call(callable.ptr(), expected.ptr()));
      },
      nb::arg("node"), nb::arg("callable"), nb::arg("expected").none(),
      "Demands that a Python function of the object gives this; the slow way for all else.");
}

}  // namespace

void add_guard_tree(nb::module_& module) {
  guards::set_tensor_access({tensor_form, is_dtype});
  add_states();
  nb::class_<Tree> type(module, "GuardTree", nb::type_slots(slots),
                        "What a captured program read, and what must still hold of it.");
  type.def(nb::init<>());
  add_look_ups(type);
  add_checks(type);
  type.def("input", &Tree::input, "The tensor or number there is the next input of the program.");
  type.def("arrange_inputs", &Tree::arrange_inputs, nb::arg("order"),
           "Puts the inputs into another order: the one with the number order[i] comes i-th.");
  type.def_prop_ro("size", &Tree::check_count, "How many things are demanded.");
  type.def_prop_ro("inputs", &Tree::inputs, "The nodes that are inputs, in order.");
  type.def_prop_ro("alive", &Tree::alive, "Whether no object that is known weakly has died.");
  type.def("path", &Tree::path, nb::arg("node"), "How the object is found from the arguments, for people.");
  type.def("describe", &Tree::describe, "One line for each thing that is demanded.");
  type.def("demands", demands, "(kind, subject, expected) of each guard.");
  type.def("matches", matches, nb::arg("args"), nb::arg("keywords").none() = nb::none(),
           "Whether a call fits.");
  type.def("failure", failure, nb::arg("args"), nb::arg("keywords").none() = nb::none(),
           "The first guard that does not hold: (subject, expected, actual, kind, difference, of_argument); "
           "None if "
           "all hold. The first three are for people.");
  module.def("state", read_state, "The value of a state that guards can check.");
  module.def(
      "state_names",
      [] {
        std::vector<std::string> names;
        for (const State& state : guards::states()) names.push_back(state.name);
        return names;
      },
      "Names of the states that guards can check.");
  module.def("memory_overlaps", overlaps, "Whether two tensors may have bytes of memory in common.");
}

}  // namespace dyad::python
