#pragma once

#include <cstdint>
#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>

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

/// The kind of graph break that a capture error causes. Python has the names of all kinds in `break_reasons`.
enum class BreakKind : uint8_t { kUnknown, kCondition, kIterable, kFunction };

/// The one exception type of the library. It consists of an owner, which is what the program called, and a
/// text; `what()` joins them to "owner: text" or "owner() text". An error that names no owner is its text.
class Error : public std::exception {
 public:
  /// The owner is the word that the message opens with, followed by ": " or "() ".
  Error(ErrorKind kind, std::string_view message, BreakKind break_kind = BreakKind::kUnknown);
  Error(ErrorKind kind, std::string owner, std::string text, BreakKind break_kind = BreakKind::kUnknown);
  ErrorKind kind() const { return kind_; }
  BreakKind break_kind() const { return break_kind_; }
  const std::string& owner() const { return owner_; }
  const std::string& text() const { return text_; }
  /// Whether the message is "owner() text".
  bool about_call() const { return about_call_; }
  /// The message with another owner.
  std::string message_of(std::string_view owner) const;
  const char* what() const noexcept override { return message_.c_str(); }
  const std::string& message() const { return message_; }

 private:
  ErrorKind kind_;
  BreakKind break_kind_;
  bool about_call_ = false;
  std::string owner_;
  std::string text_;
  std::string message_;
};

/// Every message is passed through `shown_message` when it is made. Tests reverse all messages to show that
/// no decision depends on one.
std::string shown_message(std::string message);
void reverse_messages(bool on);

[[noreturn]] void raise(ErrorKind kind, std::string_view message);
[[noreturn]] void raise(ErrorKind kind, BreakKind break_kind, std::initializer_list<text::Part> parts);
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
[[noreturn]] void capture_error(BreakKind break_kind, const Parts&... parts) {
  raise(ErrorKind::kCapture, break_kind, {text::Part(parts)...});
}
template <class... Parts>
[[noreturn]] void unsupported(const Parts&... parts) {
  raise(ErrorKind::kUnsupported, {text::Part(parts)...});
}

}  // namespace dyad

/// A condition that no input can break; a failure is our bug and says where.
#define DYAD_ASSERT(condition) \
  (static_cast<bool>(condition) ? void(0) : ::dyad::raise_internal(#condition, __FILE__, __LINE__))
