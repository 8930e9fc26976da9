#include "data/text/vocabulary.h"

#include <gtest/gtest.h>

namespace dyad::data {
namespace {

TEST(Vocabulary, FindsEveryWordAndNoOther) {
  std::map<std::string, int64_t> words{{"", 7}, {std::string("a\0b", 3), 8}};
  for (int64_t i = 0; i < 5000; ++i) words["word" + std::to_string(i * i)] = i;
  const Vocabulary vocabulary(words);
  for (const auto& [word, number] : words) ASSERT_EQ(vocabulary.number(word), number);
  EXPECT_EQ(vocabulary.number("word3"), -1);
  EXPECT_EQ(vocabulary.number("a"), -1);
  EXPECT_FALSE(vocabulary.has("wor"));
}

TEST(Vocabulary, EmptyAndTwice) {
  Vocabulary vocabulary;
  EXPECT_EQ(vocabulary.number("a"), -1);
  vocabulary.add("a", 1);
  vocabulary.add("a", 2);
  EXPECT_EQ(vocabulary.number("a"), 1);
}

}  // namespace
}  // namespace dyad::data
