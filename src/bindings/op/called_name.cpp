#include "bindings/op/called_name.h"

#include "base/delayed_error.h"
#include "base/range_error.h"
#include "base/text.h"
#include "bindings/process/errors.h"
#include "ops/op.h"

namespace dyad::python {

namespace {

PyObject* blamed_name_function = nullptr;

}  // namespace

void set_blamed_name(PyObject* function) { blamed_name_function = Py_NewRef(function); }

std::string blamed_name() {
  if (!blamed_name_function) return {};
  const Object name = Object::take(PyObject_CallNoArgs(blamed_name_function));
  if (!name) raise_later();  // it raises nothing by itself
  const char* text = name && PyUnicode_Check(name.get()) ? PyUnicode_AsUTF8(name.get()) : nullptr;
  return text ? text : "";
}

std::string blamed_owner(const Error& error) {
  const std::string blamed = error.owner().empty() ? std::string() : blamed_name();
  return blamed.empty() ? error.owner() : blamed;
}

void raise_as_called(std::string_view name, const Error& error) {
  // It was found by this call and is another's.
  if (const auto* delayed = dynamic_cast<const DelayedError*>(&error)) throw DelayedError(*delayed);
  std::string_view owner = error.owner(), text = error.text();
  if (owner.ends_with('_')) owner.remove_suffix(1);
  if (error.kind() == ErrorKind::kSymbolicDim && owner.empty()) {
    throw Error(error.kind(), std::string(name), cat(text, "; ", name, " needs to know it before"),
                error.break_kind());
  }
  // A subscript raises Python's own class.
  const bool of_operator = dynamic_cast<const RangeError*>(&error) && name != "index";
  if (error.about_call() || !OpTable::instance().find(owner)) throw error;
  // "index: index 3 is out of range" says it twice.
  if (text.starts_with(name) && text.substr(name.size()).starts_with(' '))
    text.remove_prefix(name.size() + 1);
  if (of_operator) throw RangeError(std::string(name), std::string(text));
  throw Error(error.kind(), std::string(name), std::string(text), error.break_kind());
}

}  // namespace dyad::python
