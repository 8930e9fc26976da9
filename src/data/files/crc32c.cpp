#include "data/files/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

namespace dyad::data {

namespace {

constexpr uint32_t kPolynomial = 0x82F63B78;  // Castagnoli's, bits reversed

using Tables = std::array<std::array<uint32_t, 256>, 8>;

/// tables[k][b] is the check of byte b followed by k zero bytes.
constexpr Tables make_tables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t check = byte;
    for (int bit = 0; bit < 8; ++bit) check = (check >> 1) ^ (check & 1 ? kPolynomial : 0);
    tables[0][byte] = check;
  }
  for (size_t k = 1; k < 8; ++k)
    for (size_t byte = 0; byte < 256; ++byte)
      tables[k][byte] = (tables[k - 1][byte] >> 8) ^ tables[0][tables[k - 1][byte] & 255];
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  uint32_t check = ~0U;
  while (bytes.size() >= 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    word ^= check;
    check = 0;
    for (size_t k = 0; k < 8; ++k) check ^= kTables[7 - k][(word >> (8 * k)) & 255];
    bytes.remove_prefix(8);
  }
  for (const char byte : bytes) check = (check >> 8) ^ kTables[0][(check ^ static_cast<uint8_t>(byte)) & 255];
  return ~check;
}

uint32_t masked_crc32c(std::string_view bytes) { return std::rotr(crc32c(bytes), 15) + 0xA282EAD8U; }

}  // namespace dyad::data
