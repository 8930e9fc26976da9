#include "data/text/utf8.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace dyad::data {
namespace {

std::string encoded(uint32_t code) {
  const auto low = [&](int shift) { return static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xc0 | (code >> 6)), low(0)};
  if (code < 0x10000) return {static_cast<char>(0xe0 | (code >> 12)), low(6), low(0)};
  return {static_cast<char>(0xf0 | (code >> 18)), low(12), low(6), low(0)};
}

TEST(Utf8, EveryCharacter) {
  for (uint32_t code = 0; code <= 0x10ffff; ++code) {
    const std::string text = encoded(code);
    if (code >= 0xd800 && code <= 0xdfff) {
      EXPECT_THROW(character_at(text, 0, "test"), Error);
      continue;
    }
    const Character c = character_at(text, 0, "test");
    ASSERT_EQ(c.code, code);
    ASSERT_EQ(c.size, text.size());
    // Cut short, it is no character; some will do, since an exception takes its time.
    if (text.size() > 1 && code % 101 == 0) {
      ASSERT_THROW(character_at(text.substr(0, text.size() - 1), 0, "test"), Error);
    }
  }
}

TEST(Utf8, EveryPairOfBytesIsACharacterOrAnError) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text{static_cast<char>(first), static_cast<char>(second)};
      try {
        EXPECT_LE(character_at(text, 0, "test").size, 2u);
      } catch (const Error& error) {
        EXPECT_EQ(error.message(), "test: byte 0 of the text is not UTF-8");
      }
    }
  }
}

TEST(Utf8, Properties) {
  EXPECT_TRUE(is_white_space(0x3000));
  EXPECT_FALSE(is_white_space(0x200b));
  EXPECT_TRUE(is_ideograph(0x4e2d));
  EXPECT_TRUE(is_ideograph(0x20000));
  EXPECT_FALSE(is_ideograph(0x3042));
  EXPECT_FALSE(is_ideograph(0x4dc0));
  EXPECT_FALSE(is_ideograph(0xac00));
  EXPECT_TRUE(is_ascii(""));
  EXPECT_FALSE(is_ascii("\xc3\xa9"));
}

}  // namespace
}  // namespace dyad::data
