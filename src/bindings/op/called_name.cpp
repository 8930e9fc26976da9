#include "bindings/op/called_name.h"

#include "base/delayed_error.h"
#include "base/range_error.h"
#include "base/text.h"
#include "bindings/process/errors.h"
#include "ops/op.h"

namespace dyad::python {

namespace {

PyObject* blamed_name_function = nullptr;

/// The name that a message opens with: one word, then ": " or "() ". Empty if it does not.
std::string_view opening_name(std::string_view message) {
  const size_t end = message.find_first_of(":( '\"");
  if (end == std::string_view::npos) return {};
  const std::string_view rest = message.substr(end);
  return rest.starts_with(": ") || rest.starts_with("() ") ? message.substr(0, end) : std::string_view{};
}

}  // namespace

void set_blamed_name(PyObject* function) { blamed_name_function = Py_NewRef(function); }

std::string blamed_name() {
  if (!blamed_name_function) return {};
  const Object name = Object::take(PyObject_CallNoArgs(blamed_name_function));
  if (!name) raise_later();  // it raises nothing by itself
  const char* text = name && PyUnicode_Check(name.get()) ? PyUnicode_AsUTF8(name.get()) : nullptr;
  return text ? text : "";
}

std::string blamed_message(const std::string& message) {
  const std::string_view name = opening_name(message);
  if (name.empty()) return message;
  const std::string blamed = blamed_name();
  return blamed.empty() ? message : cat(blamed, std::string_view(message).substr(name.size()));
}

void raise_as_called(std::string_view name, const Error& error) {
  // It was found by this call and is another's.
  if (const auto* delayed = dynamic_cast<const DelayedError*>(&error)) throw DelayedError(*delayed);
  const std::string& message = error.message();
  const size_t colon = message.find(": ");
  std::string_view named = std::string_view(message).substr(0, colon == std::string::npos ? 0 : colon);
  if (named.ends_with('_')) named.remove_suffix(1);
  if (error.kind() == ErrorKind::kSymbolicDim && named.empty()) {
    raise(error.kind(), cat(name, ": ", message, "; ", name, " needs to know it before"));
  }
  // A subscript raises Python's own class.
  const bool of_operator = dynamic_cast<const RangeError*>(&error) && name != "index";
  if (!OpTable::instance().find(named)) throw error;
  std::string_view rest = std::string_view(message).substr(colon + 2);
  // "index: index 3 is out of range" says it twice.
  if (rest.starts_with(name) && rest.substr(name.size()).starts_with(' '))
    rest.remove_prefix(name.size() + 1);
  if (of_operator) range_error(name, ": ", rest);
  raise(error.kind(), cat(name, ": ", rest));
}

}  // namespace dyad::python
