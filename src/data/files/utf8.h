#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dyad::data {

/// The offset of the first byte that is not part of UTF-8; the size of the text where all are.
size_t utf8_end(std::string_view text);

/// A text for a message: in quotes, cut short if it is long, or in words if it is not UTF-8.
std::string shown_text(std::string_view text);

}  // namespace dyad::data
