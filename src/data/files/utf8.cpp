#include "data/files/utf8.h"

#include <cstdint>
#include <cstring>

#include "base/text.h"

namespace dyad::data {

namespace {

/// How many bytes the character at the front has; 0 if they are not one.
size_t character_size(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return 0;
  for (size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool outside = (lead == 0xED && byte(1) > 0x9F) || (lead == 0xF4 && byte(1) > 0x8F);
  return overlong || outside ? 0 : size;
}

}  // namespace

size_t utf8_end(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    uint64_t eight = 0;
    if (at + 8 <= text.size()) {
      std::memcpy(&eight, text.data() + at, 8);
      if (!(eight & 0x8080808080808080U)) {
        at += 8;
        continue;
      }
    }
    const size_t size = character_size(text.substr(at));
    if (size == 0) return at;
    at += size;
  }
  return at;
}

std::string shown_text(std::string_view text) {
  constexpr size_t kLongest = 80;
  if (utf8_end(text) < text.size()) return "text that is not UTF-8";
  if (text.size() <= kLongest) return cat("'", text, "'");
  return cat("'", text.substr(0, utf8_end(text.substr(0, kLongest))), "...'");
}

}  // namespace dyad::data
