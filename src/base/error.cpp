#include "base/error.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace dyad {

namespace {
std::atomic<bool> messages_are_reversed = false;
}

Error::Error(ErrorKind kind, std::string_view message, BreakKind break_kind)
    : kind_(kind), break_kind_(break_kind) {
  const size_t end = std::min(message.find_first_of(":( '\""), message.size());
  const std::string_view rest = message.substr(end);
  about_call_ = rest.starts_with("() ");
  const bool is_owned = about_call_ || rest.starts_with(": ");
  if (is_owned) owner_ = message.substr(0, end);
  text_ = is_owned ? rest.substr(about_call_ ? 3 : 2) : message;
  message_ = message_of(owner_);
}

Error::Error(ErrorKind kind, std::string owner, std::string text, BreakKind break_kind)
    : kind_(kind), break_kind_(break_kind), owner_(std::move(owner)), text_(std::move(text)) {
  message_ = message_of(owner_);
}

std::string Error::message_of(std::string_view owner) const {
  if (owner.empty()) return shown_message(text_);
  return shown_message(cat(owner, about_call_ ? "() " : ": ", text_));
}

std::string shown_message(std::string message) {
  if (messages_are_reversed.load(std::memory_order_relaxed)) std::ranges::reverse(message);
  return message;
}
void reverse_messages(bool on) { messages_are_reversed = on; }

void raise(ErrorKind kind, std::string_view message) { throw Error(kind, message); }
void raise(ErrorKind kind, std::initializer_list<text::Part> parts) { raise(kind, text::joined(parts)); }
void raise(ErrorKind kind, BreakKind break_kind, std::initializer_list<text::Part> parts) {
  throw Error(kind, text::joined(parts), break_kind);
}

void raise_internal(const char* condition, const char* file, int line) {
  const char* inside = std::strstr(file, "src/");
  throw Error(ErrorKind::kInternal,
              cat("internal error: ", condition, " does not hold at ", inside ? inside : file, ":", line,
                  "; this is a fault of Dyad, not of the program"));
}

}  // namespace dyad
