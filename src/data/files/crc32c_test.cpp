#include "data/files/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace dyad::data {
namespace {

TEST(Crc32c, GivesTheValuesOfTheStandard) {
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
}

TEST(Crc32c, IsTheSameForEveryLengthAsByteByByte) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    uint32_t check = ~0U;
    for (const char byte : text) {
      check ^= static_cast<uint8_t>(byte);
      for (int bit = 0; bit < 8; ++bit) check = (check >> 1) ^ (check & 1 ? 0x82F63B78U : 0);
    }
    EXPECT_EQ(crc32c(text), ~check) << i;
    text.push_back(static_cast<char>(i * 37));
  }
}

TEST(Crc32c, IsMaskedAsRecordFilesHaveIt) {
  const uint32_t check = crc32c("abc");
  EXPECT_EQ(masked_crc32c("abc"), ((check >> 15) | (check << 17)) + 0xA282EAD8U);
}

}  // namespace
}  // namespace dyad::data
