#pragma once

#include <cstdint>
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
    out.push_back(part);
  } else if constexpr (std::is_floating_point_v<T>) {
    append(out, static_cast<double>(part));
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    append(out, static_cast<long long>(part));
  } else if constexpr (std::is_integral_v<T>) {
    append(out, static_cast<unsigned long long>(part));
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    append(out, std::string_view(part));
  } else {
    out += to_text(part);  // found by argument-dependent look-up beside the type
  }
}
}  // namespace text

/// Concatenates its arguments as text. Types of ours take part through a `to_text(x)` beside them.
template <class... Parts>
std::string cat(const Parts&... parts) {
  std::string out;
  (text::append_any(out, parts), ...);
  return out;
}

}  // namespace dyad
