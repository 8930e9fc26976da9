#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace dyad {

namespace text {
void append(std::string& out, std::string_view part);
void append(std::string& out, double number);
void append(std::string& out, long long number);
void append(std::string& out, unsigned long long number);

template <class T>
void append_any(std::string& out, const T& part) {
  if constexpr (std::is_same_v<T, bool>) {
    append(out, std::string_view(part ? "True" : "False"));
  } else if constexpr (std::is_same_v<T, char>) {
    append(out, std::string_view(&part, 1));
  } else if constexpr (std::is_floating_point_v<T>) {
    append(out, static_cast<double>(part));
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    append(out, static_cast<long long>(part));
  } else if constexpr (std::is_integral_v<T>) {
    append(out, static_cast<unsigned long long>(part));
  } else {
    append(out, to_text(part));  // found by argument-dependent look-up beside the type
  }
}

/// A piece of a message, borrowed, with the way to write it. Messages are made of many combinations of types:
/// this way the code is one per type.
class Part {
 public:
  template <class T>
  explicit Part(const T& part) {
    if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      const std::string_view text = part;
      at_ = text.data();
      size_ = text.size();
    } else {
      at_ = &part;
      write_ = [](std::string& out, const void* at) { append_any(out, *static_cast<const T*>(at)); };
    }
  }
  void append_to(std::string& out) const;

 private:
  const void* at_;
  size_t size_ = 0;                                     ///< of a text
  void (*write_)(std::string&, const void*) = nullptr;  ///< null for a text
};

std::string joined(std::initializer_list<Part> parts);
}  // namespace text

/// Concatenates its arguments as text. Types of ours take part through a `to_text(x)` beside them.
template <class... Parts>
std::string cat(const Parts&... parts) {
  return text::joined({text::Part(parts)...});
}

}  // namespace dyad
