#include "data/text/utf8.h"

#include <algorithm>

#include "base/error.h"

namespace dyad::data {

namespace {

bool continues(std::string_view text, size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

uint32_t low_bits(std::string_view text, size_t at) { return static_cast<unsigned char>(text[at]) & 0x3fu; }

/// How many bytes a character has that starts with this one; 0 if none starts so.
size_t size_from(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

bool is_valid(uint32_t code, size_t size) {
  if (size == 3) return code >= 0x800 && (code < 0xd800 || code > 0xdfff);
  return size != 4 || (code >= 0x10000 && code <= 0x10ffff);
}

}  // namespace

Character long_character_at(std::string_view text, size_t at, std::string_view owner) {
  const auto first = static_cast<unsigned char>(text[at]);
  const size_t size = size_from(first);
  bool whole = size > 0;
  for (size_t i = 1; i < size; ++i) whole = whole && continues(text, at + i);
  uint32_t code = 0;
  if (whole) {
    code = first & (0x7fu >> size);
    for (size_t i = 1; i < size; ++i) code = code << 6 | low_bits(text, at + i);
  }
  if (!whole || !is_valid(code, size)) runtime_error(owner, ": byte ", at, " of the text is not UTF-8");
  return {code, size};
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool is_wide_white_space(uint32_t code) {
  return code == 0x85 || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) ||
         code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

bool is_ideograph(uint32_t code) {
  if (code < 0x3400) return false;
  return code <= 0x4dbf || (code >= 0x4e00 && code <= 0x9fff) || (code >= 0xf900 && code <= 0xfaff) ||
         (code >= 0x20000 && code <= 0x2a6df) || (code >= 0x2a700 && code <= 0x2ceaf) ||
         (code >= 0x2f800 && code <= 0x2fa1f);
}

}  // namespace dyad::data
