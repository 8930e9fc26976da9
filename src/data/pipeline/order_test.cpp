#include "data/pipeline/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"

namespace dyad::data {
namespace {

using List = std::vector<int64_t>;

List chosen(const OrderRef& order, int64_t size, uint64_t key = 1, int64_t epoch = 0) {
  const Indices indices = order->choose(size, Random(key), epoch);
  List list;
  for (int64_t i = 0; i < indices.size(); ++i) list.push_back(indices[i]);
  return list;
}

List sorted(List list) {
  std::sort(list.begin(), list.end());
  return list;
}

Shards deal(int64_t shards, int64_t shard) { return {shards, shard, false, 0, -1, true, 0}; }

TEST(Order, SequentialFromAStart) {
  EXPECT_EQ(chosen(sequential_order(0, 0), 3), (List{0, 1, 2}));
  EXPECT_EQ(chosen(sequential_order(1, 1), 3), List{1});
  EXPECT_EQ(chosen(sequential_order(1, 9), 3), (List{1, 2}));
  EXPECT_EQ(chosen(sequential_order(0, 0), 0), List{});
  EXPECT_THROW(chosen(sequential_order(3, 0), 3), Error);
}

TEST(Order, RandomIsAPermutationThatDependsOnTheKey) {
  const List first = chosen(random_order(false, 0), 100);
  EXPECT_EQ(sorted(first), chosen(sequential_order(0, 0), 100));
  EXPECT_EQ(first, chosen(random_order(false, 0), 100));
  EXPECT_NE(first, chosen(random_order(false, 0), 100, 2));
  EXPECT_EQ(chosen(random_order(false, 7), 100), List(first.begin(), first.begin() + 7));
  EXPECT_EQ(chosen(random_order(true, 0), 100).size(), 100u);
  EXPECT_EQ(chosen(random_order(true, 5), 100).size(), 5u);
  EXPECT_EQ(chosen(random_order(true, 5), 0), List{});
}

TEST(Order, AllPermutationsAreEquallyLikely) {
  std::map<List, int> times;
  for (uint64_t key = 0; key < 6000; ++key) ++times[chosen(random_order(false, 0), 3, key)];
  EXPECT_EQ(times.size(), 6u);
  for (const auto& [list, count] : times) EXPECT_NEAR(count, 1000, 130);
}

TEST(Order, SubsetsKeepOrShuffleTheirRows) {
  EXPECT_EQ(chosen(subset_order({4, 1, 1}), 5), (List{4, 1, 1}));
  EXPECT_EQ(sorted(chosen(subset_random_order({4, 1, 1}, 0), 5)), (List{1, 1, 4}));
  EXPECT_EQ(chosen(subset_random_order({4, 1, 1}, 2), 5).size(), 2u);
  EXPECT_THROW(chosen(subset_order({5}), 5), Error);
  EXPECT_THROW(chosen(subset_random_order({-1}, 0), 5), Error);
}

TEST(Order, WeightsDecideHowOftenARowIsDrawn) {
  const List drawn = chosen(weighted_order({1, 0, 3}, 3000, true), 4000);
  EXPECT_NEAR(std::count(drawn.begin(), drawn.end(), 2), 2250, 120);
  EXPECT_EQ(std::count(drawn.begin(), drawn.end(), 1), 0);
  EXPECT_EQ(chosen(weighted_order({0, 1, 0, 2}, 2, false), 4).size(), 2u);
  EXPECT_EQ(sorted(chosen(weighted_order({0, 1, 0, 2}, 2, false), 4)), (List{1, 3}));
  EXPECT_THROW(chosen(weighted_order({1, 1}, 0, true), 1), Error);
  EXPECT_THROW(chosen(weighted_order({1, 1}, 3, false), 5), Error);
  EXPECT_THROW(chosen(weighted_order({0, 0}, 1, true), 2), Error);
  EXPECT_THROW(weighted_order({-1}, 1, true), Error);
}

TEST(Order, ClassesGiveEquallyManyRows) {
  const List classes{7, 5, 7, 7, 5, 9};
  const List list = chosen(classes_order(classes, 2, 0, false), 6);
  ASSERT_EQ(list.size(), 6u);
  for (size_t i = 0; i < 6; ++i)
    EXPECT_EQ(classes[static_cast<size_t>(list[i])], (List{5, 5, 7, 7, 9, 9})[i]);
  EXPECT_NE(list[0], list[1]);
  EXPECT_EQ(chosen(classes_order(classes, 2, 3, true), 6).size(), 3u);
  EXPECT_THROW(chosen(classes_order(classes, 2, 0, false), 7), Error);
}

TEST(Order, ShardsDealRowsOut) {
  EXPECT_EQ(chosen(distributed_order(deal(3, 0)), 10), (List{0, 3, 6, 9}));
  EXPECT_EQ(chosen(distributed_order(deal(3, 2)), 10), (List{2, 5, 8, 1}));
  EXPECT_EQ(chosen(distributed_order({3, 0, false, 0, 2, false, 0}), 10), (List{1, 4, 7}));
  EXPECT_EQ(chosen(distributed_order({3, 2, false, 0, 2, false, 0}), 10), (List{0, 3, 6, 9}));
  EXPECT_EQ(chosen(distributed_order({3, 1, false, 2, -1, true, 0}), 10), (List{1, 4}));
  EXPECT_EQ(chosen(distributed_order(deal(5, 4)), 2), List{0});
  EXPECT_EQ(chosen(distributed_order(deal(5, 4)), 0), List{});
  EXPECT_THROW(distributed_order(deal(2, 2)), Error);
  EXPECT_THROW(distributed_order(deal(0, 0)), Error);
}

TEST(Order, ShuffledShardsAreDisjointWhateverTheSeedOfTheRun) {
  for (const int64_t epoch : {0, 1}) {
    std::set<int64_t> all;
    for (int64_t shard = 0; shard < 3; ++shard) {
      const Shards mine{3, shard, true, 0, -1, false, 0};
      for (const int64_t row : chosen(distributed_order(mine), 10, static_cast<uint64_t>(shard), epoch))
        EXPECT_TRUE(all.insert(row).second);
    }
    EXPECT_EQ(all.size(), 10u);
  }
  const OrderRef half = distributed_order({2, 0, true, 0, -1, true, 0});
  EXPECT_NE(chosen(half, 40, 1, 0), chosen(half, 40, 1, 1));
}

TEST(Order, AChainChoosesFromWhatIsChosenBelow) {
  EXPECT_EQ(chosen(chained_order(sequential_order(1, 2), subset_order({7, 5, 3, 1})), 8), (List{5, 3}));
  EXPECT_EQ(sorted(chosen(chained_order(random_order(false, 0), sequential_order(2, 3)), 8)),
            (List{2, 3, 4}));
  EXPECT_EQ(chosen(function_order([](int64_t epoch) { return List{epoch, 0}; }), 5, 1, 3), (List{3, 0}));
  EXPECT_THROW(chosen(function_order([](int64_t) { return List{9}; }), 5), Error);
}

TEST(Order, NumbersBelowALimitAreEven) {
  Random random(5);
  std::vector<int> times(6);
  for (int i = 0; i < 6000; ++i) ++times[draw_below(random, 6)];
  for (const int count : times) EXPECT_NEAR(count, 1000, 130);
  EXPECT_EQ(draw_below(random, 1), 0u);
  EXPECT_LT(draw_below(random, uint64_t{1} << 40), uint64_t{1} << 40);
}

}  // namespace
}  // namespace dyad::data
