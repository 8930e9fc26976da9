#include "bindings/called_name.h"

#include "ops/op.h"

namespace dyad::python {

void raise_as_called(std::string_view name, const Error& error) {
  const std::string& message = error.message();
  const size_t colon = message.find(": ");
  std::string_view named = std::string_view(message).substr(0, colon == std::string::npos ? 0 : colon);
  if (named.ends_with('_')) named.remove_suffix(1);
  if (error.kind() == ErrorKind::kOpenSize && named.empty()) {
    raise(error.kind(), cat(name, ": ", message, "; ", name, " needs to know it before"));
  }
  if (!OpTable::instance().find(named)) throw error;
  std::string_view rest = std::string_view(message).substr(colon + 2);
  // "index: index 3 is out of range" says it twice.
  if (rest.starts_with(name) && rest.substr(name.size()).starts_with(' '))
    rest.remove_prefix(name.size() + 1);
  raise(error.kind(), cat(name, ": ", rest));
}

}  // namespace dyad::python
