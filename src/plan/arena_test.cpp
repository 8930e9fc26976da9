#include "plan/arena.h"

#include <gtest/gtest.h>

#include <random>

namespace dyad::plan {
namespace {

bool overlap(const Block& a, const Block& b) {
  const bool in_time = a.first <= b.last && b.first <= a.last;
  return in_time && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

TEST(Arena, ReusesWhatIsFree) {
  std::vector<Block> blocks{{100, 0, 1}, {100, 1, 2}, {100, 2, 3}, {100, 3, 4}};
  EXPECT_EQ(place_blocks(blocks), 256u);
  EXPECT_EQ(blocks[2].offset, blocks[0].offset);
}

TEST(Arena, TakesOverAPlace) {
  std::vector<Block> blocks{{100, 0, 1}, {100, 1, 2, 0}, {100, 2, 3, 1}};
  EXPECT_EQ(place_blocks(blocks), 128u);
  EXPECT_EQ(blocks[2].offset, 0u);
}

TEST(Arena, NothingOverlapsThatLivesTogether) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<Block> blocks;
    size_t total = 0;
    for (uint32_t i = 0; i < 60; ++i) {
      Block block;
      block.bytes = random() % 1000;
      block.first = random() % 40;
      block.last = block.first + random() % 8;
      total += (block.bytes + 63) / 64 * 64;
      blocks.push_back(block);
    }
    const size_t size = place_blocks(blocks);
    EXPECT_LE(size, total);
    for (size_t i = 0; i < blocks.size(); ++i) {
      EXPECT_LE(blocks[i].offset + blocks[i].bytes, size);
      for (size_t j = 0; j < i; ++j) EXPECT_FALSE(overlap(blocks[i], blocks[j])) << i << " " << j;
    }
  }
}

TEST(Arena, PutsTheLargestFirst) {
  // In the order of time the small block in the middle would split what the large one needs.
  std::vector<Block> blocks{{1024, 0, 1}, {64, 1, 5}, {1024, 2, 3}, {2048, 4, 5}};
  EXPECT_EQ(least_bytes(blocks), 2112u);
  EXPECT_EQ(place_blocks(blocks), 2112u);
  EXPECT_FALSE(overlap(blocks[1], blocks[3]));
}

TEST(Arena, NeedsNoLessThanWhatLivesTogether) {
  std::vector<Block> blocks{{100, 0, 1}, {100, 1, 2, 0}, {300, 2, 3}, {10, 4, 4}};
  EXPECT_EQ(least_bytes(blocks), 448u);
  EXPECT_GE(place_blocks(blocks), least_bytes(blocks));
}

}  // namespace
}  // namespace dyad::plan
