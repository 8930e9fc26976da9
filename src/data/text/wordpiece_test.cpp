#include "data/text/wordpiece.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace dyad::data {
namespace {

Wordpiece pieces_of(std::map<std::string, int64_t> words, const std::string& unknown = "[UNK]",
                    int64_t longest = 100) {
  Attributes attributes;
  attributes.set("words", std::move(words));
  attributes.set("suffix_indicator", std::string("##"));
  attributes.set("unknown_token", unknown);
  attributes.set("max_bytes_per_token", longest);
  return Wordpiece(attributes);
}

std::string split(const Wordpiece& pieces, std::string_view word) {
  Tokens tokens;
  pieces.split(word, 10, tokens, "test");
  std::string text;
  for (size_t i = 0; i < tokens.size(); ++i)
    text += cat(tokens.text(i), "@", tokens.start(i), "-", tokens.end(i), " ");
  return text;
}

TEST(Wordpiece, LongestPiecesFirst) {
  const Wordpiece pieces = pieces_of({{"a", 0}, {"ab", 1}, {"##c", 2}, {"##cd", 3}, {"##", 4}});
  EXPECT_EQ(split(pieces, "abcd"), "ab@10-12 ##cd@12-14 ");
  EXPECT_EQ(split(pieces, "acc"), "a@10-11 ##c@11-12 ##c@12-13 ");
  EXPECT_EQ(split(pieces, "abx"), "[UNK]@10-13 ");
  EXPECT_EQ(split(pieces, ""), "");
}

TEST(Wordpiece, GreedySplitDoesNotGoBack) {
  const Wordpiece pieces = pieces_of({{"a", 0}, {"ab", 1}, {"##bc", 2}});
  EXPECT_EQ(split(pieces, "abc"), "[UNK]@10-13 ");
}

TEST(Wordpiece, UnknownAndLongWords) {
  EXPECT_EQ(split(pieces_of({{"a", 0}}, ""), "xy"), "xy@10-12 ");
  EXPECT_EQ(split(pieces_of({{"aaaa", 0}}, "[UNK]", 3), "aaaa"), "[UNK]@10-14 ");
  EXPECT_EQ(split(pieces_of({}), "a"), "[UNK]@10-11 ");
}

}  // namespace
}  // namespace dyad::data
