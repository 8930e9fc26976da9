#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dyad::data {

/// A character of a text and the bytes it takes.
struct Character {
  uint32_t code;
  size_t size;
};

/// A character of several bytes; see `character_at`.
Character long_character_at(std::string_view text, size_t at, std::string_view owner);
/// Unicode's White_Space property beyond ASCII.
bool is_wide_white_space(uint32_t code);

/// The character that starts at byte `at`. Bytes that are no UTF-8 are a RuntimeError in the name of `owner`.
inline Character character_at(std::string_view text, size_t at, std::string_view owner) {
  const auto first = static_cast<unsigned char>(text[at]);
  return first < 0x80 ? Character{first, 1} : long_character_at(text, at, owner);
}
/// Unicode's White_Space property.
inline bool is_white_space(uint32_t code) {
  return code < 0x80 ? code == ' ' || (code >= 9 && code <= 13) : is_wide_white_space(code);
}
bool is_ascii(std::string_view text);
/// Of the blocks of Chinese characters, which have no space between words.
bool is_ideograph(uint32_t code);

}  // namespace dyad::data
