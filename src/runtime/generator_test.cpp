#include "runtime/generator.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace dyad {
namespace {

bool same_words(const Philox& a, const Philox& b) { return std::equal(a.words, a.words + 4, b.words); }

TEST(Philox, KnownAnswer) {
  // Counter and key zero, from the known-answer tests that the authors of Philox publish.
  const Philox zero(0, 0);
  EXPECT_EQ(zero.words[0], 0x6627e8d5u);
  EXPECT_EQ(zero.words[1], 0xe169c58du);
  EXPECT_EQ(zero.words[2], 0xbc57ac4cu);
  EXPECT_EQ(zero.words[3], 0x9b00dbd8u);
}

TEST(Philox, EveryPartOfSeedAndPositionCounts) {
  const Philox zero(0, 0);
  EXPECT_FALSE(same_words(zero, Philox(1, 0)));
  EXPECT_FALSE(same_words(zero, Philox(uint64_t{1} << 32, 0)));
  EXPECT_FALSE(same_words(zero, Philox(0, 1)));
  EXPECT_FALSE(same_words(zero, Philox(0, uint64_t{1} << 32)));
}

TEST(Generator, ReservationsFollowEachOther) {
  Generator generator(9);
  EXPECT_EQ(generator.reserve(5).position, 0u);
  EXPECT_EQ(generator.reserve(1).position, 5u);
  EXPECT_EQ(generator.state().position, 6u);
  EXPECT_EQ(generator.state().seed, 9u);
}

TEST(Generator, StateCanBeSetBack) {
  Generator generator(3);
  const Generator::State before = generator.state();
  generator.reserve(10);
  generator.set_state(before);
  EXPECT_EQ(generator.reserve(1).position, 0u);
  generator.set_seed(4);
  EXPECT_EQ(generator.state().seed, 4u);
  EXPECT_EQ(generator.state().position, 0u);
}

}  // namespace
}  // namespace dyad
