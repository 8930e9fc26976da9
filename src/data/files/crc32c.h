#pragma once

#include <cstdint>
#include <string_view>

namespace dyad::data {

/// The Castagnoli cyclic redundancy check of some bytes.
uint32_t crc32c(std::string_view bytes);
/// The check as record files store it: rotated and moved, so that a check of data that holds checks is no
/// fixed point.
uint32_t masked_crc32c(std::string_view bytes);

}  // namespace dyad::data
