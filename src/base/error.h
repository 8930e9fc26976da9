#pragma once

#include <exception>
#include <initializer_list>
#include <string>

#include "base/text.h"

namespace dyad {

/// Which Python class an error becomes. The first group is a mistake in the user's program, `kUnsupported` is
/// a valid program that this version cannot run, `kCapture` one that a graph cannot hold
/// as it stands, `kSymbolicDim` one that a graph can hold for known sizes only, `kInternal` is a fault of
/// ours.
enum class ErrorKind {
  kType,
  kValue,
  kIndex,
  kKey,
  kAttribute,
  kRuntime,
  kMemory,
  kZeroDivision,
  kOverflow,
  kRecursion,
  kInterrupted,
  kCapture,
  kSymbolicDim,
  kUnsupported,
  kInternal,
};

/// The one exception type of the library. `what()` is the whole message.
class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}
  ErrorKind kind() const { return kind_; }
  const char* what() const noexcept override { return message_.c_str(); }
  const std::string& message() const { return message_; }

 private:
  ErrorKind kind_;
  std::string message_;
};

[[noreturn]] void raise(ErrorKind kind, std::string message);
[[noreturn]] void raise(ErrorKind kind, std::initializer_list<text::Part> parts);
[[noreturn]] void raise_internal(const char* condition, const char* file, int line);

template <class... Parts>
[[noreturn]] void type_error(const Parts&... parts) {
  raise(ErrorKind::kType, {text::Part(parts)...});
}
template <class... Parts>
[[noreturn]] void value_error(const Parts&... parts) {
  raise(ErrorKind::kValue, {text::Part(parts)...});
}
template <class... Parts>
[[noreturn]] void index_error(const Parts&... parts) {
  raise(ErrorKind::kIndex, {text::Part(parts)...});
}
template <class... Parts>
[[noreturn]] void runtime_error(const Parts&... parts) {
  raise(ErrorKind::kRuntime, {text::Part(parts)...});
}
/// While a program is captured: it needs now what is known only when the graph runs.
template <class... Parts>
[[noreturn]] void capture_error(const Parts&... parts) {
  raise(ErrorKind::kCapture, {text::Part(parts)...});
}
template <class... Parts>
[[noreturn]] void unsupported(const Parts&... parts) {
  raise(ErrorKind::kUnsupported, {text::Part(parts)...});
}

}  // namespace dyad

/// A condition that no input can break; a failure is our bug and says where.
#define DYAD_ASSERT(condition) \
  (static_cast<bool>(condition) ? void(0) : ::dyad::raise_internal(#condition, __FILE__, __LINE__))
