#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "capture/guards/lookup.h"
#include "capture/guards/show.h"
#include "capture/guards/tree.h"

namespace dyad::guards {

namespace {

/// Whether the dict holds the globals of a module.
bool is_module_dict(PyObject* object) {
  if (!PyDict_CheckExact(object)) return false;
  PyObject* name = PyDict_GetItemString(object, "__name__");
  return name && PyUnicode_Check(name);
}

}  // namespace

std::string Tree::path(Id id) const {
  require(id);
  const Step& step = steps_[nodes_[id]];
  if (!step.name.empty()) return step.name;
  switch (step.kind) {
    case Kind::kArgument:
      return cat("argument ", step.index);
    case Kind::kObject:
      return PyDict_Check(step.key.ptr()) ? std::string("globals") : show(step.key.ptr());
    case Kind::kWeakObject: {
      PyObject* object = find_referent(step.key.ptr());
      std::string text = object ? show(object) : "an object that is gone";
      Py_XDECREF(object);
      return text;
    }
    case Kind::kAttribute:
      return cat(path(step.subject), ".", text_of(step.key.ptr()));
    case Kind::kClassAttribute:
      return cat(class_path(step.subject), ".", text_of(step.key.ptr()));
    case Kind::kItem: {
      const Step& parent = steps_[nodes_[step.subject]];
      if (parent.kind == Kind::kObject && parent.name.empty() && is_module_dict(parent.key.ptr()))
        return cat("global ",
                   PyUnicode_Check(step.key.ptr()) ? text_of(step.key.ptr()) : show(step.key.ptr()));
      [[fallthrough]];
    }
    case Kind::kItemByIdentity:
      return cat(path(step.subject), "[", show(step.key.ptr()), "]");
    case Kind::kElement:
      return cat(path(step.subject), "[", step.index, "]");
    case Kind::kCellContents:
      return cat(path(step.subject), ".cell_contents");
    default:
      return "an object that is gone";
  }
}

std::string Tree::class_path(Id id) const {
  const Step& step = steps_[nodes_[id]];
  const bool is_class = step.kind == Kind::kObject && PyType_Check(step.key.ptr());
  return is_class ? path(id) : cat("type(", path(id), ")");
}

std::string Tree::expected(const Step& step) const {
  switch (step.kind) {
    case Kind::kMissingAttribute:
      return cat("no attribute ", text_of(step.key.ptr()));
    case Kind::kMissingClassAttribute:
      return cat("no attribute ", text_of(step.key.ptr()), " of the class");
    case Kind::kMissingItem:
    case Kind::kMissingItemByIdentity:
      return cat("no key ", show(step.key.ptr()));
    case Kind::kType:
      return cat("type ", show(step.key.ptr()));
    case Kind::kSame:
      return cat("the same object, ", show(step.key.ptr()));
    case Kind::kSameWeak: {
      PyObject* object = find_referent(step.key.ptr());
      std::string text = object ? cat("the same object, ", show(object)) : "an object that is gone";
      Py_XDECREF(object);
      return text;
    }
    case Kind::kCheck:
      return step.check->expected();
    default:
      return "to be there";
  }
}

std::string Tree::actual(const Step& step, const Found& found, size_t argument_count) const {
  if (step.kind == Kind::kArgument) return cat("only ", argument_count, " arguments");
  if (is_look_up(step) || step.kind == Kind::kNever) return "it is not there";
  PyObject* subject = step.subject == kNoObject ? nullptr : found[step.subject];
  switch (step.kind) {
    case Kind::kMissingAttribute:
    case Kind::kMissingClassAttribute: {
      const bool of_class = step.kind == Kind::kMissingClassAttribute;
      PyObject* value = of_class ? find_class_attribute(subject, step.key.ptr())
                                 : find_attribute(subject, step.key.ptr(), step.cached);
      std::string text = value ? show(value) : "no such attribute";
      Py_XDECREF(value);
      return text;
    }
    case Kind::kMissingItem:
    case Kind::kMissingItemByIdentity: {
      PyObject* value = find_item(subject, step.key.ptr(), step.cached.entry);
      std::string text = value ? show(value) : show(subject);
      Py_XDECREF(value);
      return text;
    }
    case Kind::kType:
      return cat("type ", show(reinterpret_cast<PyObject*>(Py_TYPE(subject))));
    case Kind::kSame:
    case Kind::kSameWeak:
      return cat("another object, ", show(subject));
    default:
      return step.check->actual(subject, found.data());
  }
}

GuardKind Tree::kind_of(const Step& step) {
  switch (step.kind) {
    case Kind::kMissingAttribute:
    case Kind::kMissingClassAttribute:
    case Kind::kMissingItem:
    case Kind::kMissingItemByIdentity:
      return GuardKind::kAbsence;
    case Kind::kType:
      return GuardKind::kType;
    case Kind::kSame:
    case Kind::kSameWeak:
      return GuardKind::kIdentity;
    case Kind::kCheck:
      return step.check->kind();
    default:
      return GuardKind::kPresence;
  }
}

bool Tree::is_of_argument(Id id) const {
  const Step& step = steps_[nodes_[id]];
  switch (step.kind) {
    case Kind::kArgument:
      return true;
    case Kind::kItem:
    case Kind::kItemByIdentity:
    case Kind::kElement:
      return is_of_argument(step.subject);
    default:
      return false;
  }
}

bool Tree::is_of_argument(const Step& step) const {
  if (is_look_up(step)) return is_of_argument(step.result);
  if (step.subject != kNoObject) return is_of_argument(step.subject);
  const std::span<const Id> ids = step.kind == Kind::kCheck ? step.check->objects() : std::span<const Id>{};
  return !ids.empty() && std::ranges::all_of(ids, [&](Id id) { return is_of_argument(id); });
}

Difference Tree::difference(const Step& step, const Found& found) const {
  if (step.kind == Kind::kCheck) {
    return step.check->difference(step.subject == kNoObject ? nullptr : found[step.subject], found.data());
  }
  if (step.kind != Kind::kSameWeak) return Difference::kUnknown;
  PyObject* object = find_referent(step.key.ptr());
  Py_XDECREF(object);
  return object ? Difference::kUnknown : Difference::kGone;
}

std::optional<Tree::Failure> Tree::failure(std::span<PyObject* const> arguments) const {
  Found found(size());
  const size_t at = first_failure(arguments, found, true);
  if (at == steps_.size()) return std::nullopt;
  const Step& step = steps_[at];
  const bool looks_up = is_look_up(step);
  const Id node = looks_up ? step.result : step.subject;
  const bool has_node = node != kNoObject;
  return Failure{{kind_of(step), has_node ? path(node) : step.name, shown_message(expected(step))},
                 shown_message(actual(step, found, arguments.size())),
                 looks_up ? Difference::kUnknown : difference(step, found),
                 is_of_argument(step)};
}

std::vector<Tree::Demand> Tree::demands() const {
  std::vector<Demand> found;
  for (const Step& step : steps_) {
    if (is_look_up(step)) continue;
    found.push_back({kind_of(step), step.subject == kNoObject ? step.name : path(step.subject),
                     shown_message(expected(step))});
  }
  return found;
}

std::vector<std::string> Tree::describe() const {
  std::vector<std::string> lines;
  for (const Demand& demand : demands()) lines.push_back(cat(demand.subject, ": ", demand.expected));
  return lines;
}

}  // namespace dyad::guards
