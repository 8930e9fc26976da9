#include "data/files/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dyad::data {
namespace {

TEST(Utf8End, TakesCharactersOfEveryLength) {
  for (const std::string text :
       {"", "plain text of more than eight", "\xC3\xA9", "\xE4\xBD\xA0", "\xF0\x9F\x98\x80", "\x7F"})
    EXPECT_EQ(utf8_end(text), text.size()) << text;
}

TEST(Utf8End, StopsAtTheFirstByteThatIsNone) {
  EXPECT_EQ(utf8_end("ab\xFFz"), 2U);
  EXPECT_EQ(utf8_end("12345678\x80"), 8U);
  EXPECT_EQ(utf8_end("\xC0\xAF"), 0U) << "overlong";
  EXPECT_EQ(utf8_end("\xE0\x80\xAF"), 0U) << "overlong";
  EXPECT_EQ(utf8_end("\xED\xA0\x80"), 0U) << "half of a surrogate pair";
  EXPECT_EQ(utf8_end("\xF4\x90\x80\x80"), 0U) << "beyond the last character";
  EXPECT_EQ(utf8_end("a\xE4\xBD"), 1U) << "cut off";
}

TEST(Utf8End, ShowsTextsInMessages) {
  EXPECT_EQ(shown_text("ab"), "'ab'");
  EXPECT_EQ(shown_text("a\xFF"), "text that is not UTF-8");
  const std::string long_text = std::string(79, 'x') + "\xC3\xA9 and more";
  EXPECT_EQ(shown_text(long_text), "'" + std::string(79, 'x') + "...'") << "no half of a character";
}

}  // namespace
}  // namespace dyad::data
