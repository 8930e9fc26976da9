#include "capture/guards/tree.h"

#include <algorithm>

#include "base/error.h"
#include "capture/guards/literal.h"
#include "capture/guards/lookup.h"

namespace nb = nanobind;

namespace dyad::guards {

namespace {

nb::object weak_or_strong(PyObject* object, bool weak, bool& is_weak) {
  if (weak) {
    if (PyObject* reference = PyWeakref_NewRef(object, nullptr)) {
      is_weak = true;
      return nb::steal(reference);
    }
    PyErr_Clear();
  }
  is_weak = false;
  return nb::borrow(object);
}

/// A dead reference shows None, which nothing refers to weakly.
PyObject* referent_or_none(PyObject* reference) {
  return reinterpret_cast<PyWeakReference*>(reference)->wr_object;
}

/// Interned, as the names in instances and classes are: equal ones are then the same object.
nb::object interned(PyObject* name) {
  Py_INCREF(name);
  PyUnicode_InternInPlace(&name);
  return nb::steal(name);
}

bool is_absent(PyObject* found) {
  Py_XDECREF(found);
  return !found;
}

}  // namespace

Found::Found(size_t count) : count_(count), objects_(inline_storage_) {
  if (count > kInside) {
    heap_storage_ = std::make_unique_for_overwrite<PyObject*[]>(count);
    objects_ = heap_storage_.get();
  }
  std::fill_n(objects_, count, nullptr);
}

Found::~Found() { clear(); }

void Found::clear() {
  for (size_t i = 0; i < count_; ++i) Py_CLEAR(objects_[i]);
}

Tree::Tree() = default;

void Tree::require_open() const {
  if (closed_) runtime_error("GuardTree: the tree belongs to an entry and can no longer be changed");
}

void Tree::require(Id id) const {
  if (id >= nodes_.size())
    index_error("GuardTree: there is no node ", id, "; the tree has ", nodes_.size(), " nodes");
}

Tree::Id Tree::look_up(Step step, PyObject* identity) {
  if (step.subject != kNoObject) require(step.subject);
  const nb::tuple key = nb::make_tuple(static_cast<int>(step.kind), step.subject, nb::borrow(identity));
  if (known_.contains(key)) {
    const Id id = nb::cast<Id>(known_[key]);
    const Step& known = steps_[nodes_[id]];
    // A weakly known object may have died and another one lie at its address.
    if (known.kind != Kind::kWeakObject || known.key.ptr() == step.key.ptr()) return id;
  }
  require_open();
  const auto id = static_cast<Id>(nodes_.size());
  step.result = id;
  nodes_.push_back(static_cast<uint32_t>(steps_.size()));
  steps_.push_back(std::move(step));
  known_[key] = id;
  return id;
}

Tree::Id Tree::argument(Py_ssize_t index, std::string name) {
  if (index < 0) index_error("GuardTree: argument ", index, " was asked for; need 0 or more");
  return look_up({.kind = Kind::kArgument, .index = index, .name = std::move(name)}, nb::int_(index).ptr());
}

Tree::Id Tree::object(PyObject* object, bool weak, std::string name) {
  bool is_weak = false;
  nb::object held = weak_or_strong(object, weak, is_weak);
  const nb::object address = nb::steal(PyLong_FromVoidPtr(object));
  return look_up(
      {.kind = is_weak ? Kind::kWeakObject : Kind::kObject, .key = std::move(held), .name = std::move(name)},
      address.ptr());
}

Tree::Id Tree::attribute(Id parent, PyObject* name) {
  return look_up({.kind = Kind::kAttribute, .subject = parent, .key = interned(name)}, name);
}

Tree::Id Tree::class_attribute(Id parent, PyObject* name) {
  return look_up({.kind = Kind::kClassAttribute, .subject = parent, .key = interned(name)}, name);
}

Tree::Id Tree::item(Id parent, PyObject* key) {
  if (Literal::is_plain(key))
    return look_up({.kind = Kind::kItem, .subject = parent, .key = nb::borrow(key)}, key);
  const nb::object address = nb::steal(PyLong_FromVoidPtr(key));
  return look_up({.kind = Kind::kItemByIdentity, .subject = parent, .key = nb::borrow(key)}, address.ptr());
}

Tree::Id Tree::element(Id parent, Py_ssize_t index) {
  if (index < 0) index_error("GuardTree: element ", index, " was asked for; need 0 or more");
  return look_up({.kind = Kind::kElement, .subject = parent, .index = index}, nb::int_(index).ptr());
}

Tree::Id Tree::cell_contents(Id parent) {
  return look_up({.kind = Kind::kCellContents, .subject = parent}, Py_None);
}

void Tree::demand(Step step) {
  require_open();
  if (step.subject != kNoObject) require(step.subject);
  if (step.kind != Kind::kCheck) {  // the same again demands nothing
    const nb::object address = nb::steal(PyLong_FromVoidPtr(step.key.ptr()));
    const nb::tuple key = nb::make_tuple(static_cast<int>(step.kind), step.subject, address);
    if (known_.contains(key)) return;
    known_[key] = nb::none();
  }
  steps_.push_back(std::move(step));
}

void Tree::missing_attribute(Id parent, PyObject* name) {
  demand({.kind = Kind::kMissingAttribute, .subject = parent, .key = interned(name)});
}

void Tree::missing_class_attribute(Id parent, PyObject* name) {
  demand({.kind = Kind::kMissingClassAttribute, .subject = parent, .key = interned(name)});
}

void Tree::missing_item(Id parent, PyObject* key) {
  const Kind kind = Literal::is_plain(key) ? Kind::kMissingItem : Kind::kMissingItemByIdentity;
  demand({.kind = kind, .subject = parent, .key = nb::borrow(key)});
}

void Tree::check_type(Id id, PyTypeObject* type) {
  demand({.kind = Kind::kType, .subject = id, .key = nb::borrow(reinterpret_cast<PyObject*>(type))});
}

void Tree::check_identity(Id id, PyObject* object, bool weak) {
  bool is_weak = false;
  nb::object held = weak_or_strong(object, weak, is_weak);
  demand({.kind = is_weak ? Kind::kSameWeak : Kind::kSame, .subject = id, .key = std::move(held)});
}

void Tree::check(Id id, CheckPointer check) {
  nb::object constant = nb::borrow(check->constant());
  demand({.kind = Kind::kCheck, .subject = id, .key = std::move(constant), .check = std::move(check)});
}

void Tree::check_alias(Id a, Id b) {
  require(b);
  check(a, guards::check_alias(b, path(b)));
}

void Tree::check_same_size(Id a, size_t axis, Id b, size_t other_axis) {
  require(b);
  check(a, guards::check_same_size(axis, b, other_axis, path(b)));
}

void Tree::check_disjoint_memory(std::vector<Id> ids) {
  std::string names = paths(ids);
  demand({.kind = Kind::kCheck,
          .check = guards::check_disjoint_memory(std::move(ids)),
          .name = std::move(names)});
}

void Tree::check_distinct_objects(std::vector<Id> ids) {
  std::string names = paths(ids);
  demand({.kind = Kind::kCheck,
          .check = guards::check_distinct_objects(std::move(ids)),
          .name = std::move(names)});
}

std::string Tree::paths(const std::vector<Id>& ids) const {
  std::string names;
  for (const Id id : ids) {
    require(id);
    names += cat(names.empty() ? "" : ", ", path(id));
  }
  return names;
}

void Tree::check_state(const State& state, int64_t value) {
  demand({.kind = Kind::kCheck, .check = guards::check_state(state, value), .name = state.name});
}

void Tree::input(Id id) {
  require_open();
  require(id);
  inputs_.push_back(id);
}

void Tree::arrange_inputs(const std::vector<size_t>& order) {
  require_open();
  std::vector<Id> arranged;
  for (const size_t i : order) arranged.push_back(inputs_.at(i));
  if (arranged.size() != inputs_.size()) {
    value_error("arrange_inputs: got ", order.size(), " numbers for ", inputs_.size(), " inputs");
  }
  inputs_ = std::move(arranged);
}

PyObject* Tree::find(const Step& step, PyObject* parent, std::span<PyObject* const> arguments) {
  switch (step.kind) {
    case Kind::kArgument:
      return static_cast<size_t>(step.index) < arguments.size()
                 ? Py_NewRef(arguments[static_cast<size_t>(step.index)])
                 : nullptr;
    case Kind::kObject:
      return Py_NewRef(step.key.ptr());
    case Kind::kWeakObject:
      return find_referent(step.key.ptr());
    case Kind::kAttribute:
      return find_attribute(parent, step.key.ptr(), step.cached);
    case Kind::kClassAttribute:
      return find_class_attribute(parent, step.key.ptr());
    case Kind::kItem:
      return find_item(parent, step.key.ptr(), step.cached.entry);
    case Kind::kItemByIdentity:
      return find_item_by_identity(parent, step.key.ptr());
    case Kind::kElement:
      return find_element(parent, step.index);
    case Kind::kCellContents:
      return find_cell_contents(parent);
    default:
      return nullptr;
  }
}

bool Tree::matches(const Step& step, PyObject* subject, PyObject* const* found) {
  PyObject* key = step.key.ptr();
  switch (step.kind) {
    case Kind::kMissingAttribute:
      return is_absent(find_attribute(subject, key, step.cached));
    case Kind::kMissingClassAttribute:
      return is_absent(find_class_attribute(subject, key));
    case Kind::kMissingItem:
      return PyDict_Check(subject) && is_absent(find_item(subject, key, step.cached.entry));
    case Kind::kMissingItemByIdentity:
      return PyDict_Check(subject) && is_absent(find_item_by_identity(subject, key));
    case Kind::kType:
      return reinterpret_cast<PyObject*>(Py_TYPE(subject)) == key;
    case Kind::kSame:
      return subject == key;
    case Kind::kSameWeak:
      return subject == referent_or_none(key) && subject != Py_None;
    case Kind::kCheck:
      return (key && subject == key) || step.check->matches(subject, found);
    default:
      return false;
  }
}

size_t Tree::first_failure(std::span<PyObject* const> arguments, Found& found, bool with_checks) const {
  PyObject** objects = found.data();
  const size_t count = steps_.size();
  for (size_t i = 0; i < count; ++i) {
    const Step& step = steps_[i];
    PyObject* subject = step.subject == kNoObject ? nullptr : objects[step.subject];
    if (is_look_up(step)) {
      objects[step.result] = find(step, subject, arguments);
      if (!objects[step.result]) return i;
    } else if ((with_checks || step.kind == Kind::kNever) && !matches(step, subject, objects)) {
      return i;
    }
  }
  return count;
}

size_t Tree::check_count() const {
  return static_cast<size_t>(
      std::ranges::count_if(steps_, [](const Step& step) { return !is_look_up(step); }));
}

bool Tree::alive() const {
  return std::ranges::none_of(steps_, [](const Step& step) {
    const bool is_weak = step.kind == Kind::kWeakObject || step.kind == Kind::kSameWeak;
    return step.kind == Kind::kNever || (is_weak && referent_or_none(step.key.ptr()) == Py_None);
  });
}

int Tree::traverse(visitproc visit, void* arg) const {
  Py_VISIT(known_.ptr());
  for (const Step& step : steps_) {
    Py_VISIT(step.key.ptr());
    if (!step.check) continue;
    if (const int stop = step.check->traverse(visit, arg)) return stop;
  }
  return 0;
}

void Tree::clear() {
  closed_ = true;
  // The tree lets go of everything before what it held is dropped, which may call back.
  std::vector<Step> steps(std::max<size_t>(steps_.size(), 1));
  for (size_t i = 0; i < steps_.size(); ++i) steps[i].result = steps_[i].result;
  steps_.swap(steps);
  const nb::object known = std::exchange(known_, nb::dict());
}

}  // namespace dyad::guards
