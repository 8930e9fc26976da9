#include "passes/cluster_order.h"

#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

namespace dyad::passes {
namespace {

using Successors = std::vector<std::vector<size_t>>;

/// Whether every cluster comes after all that it needs, and positions grow along the order.
bool is_in_order(const ClusterOrder& order, const Successors& successors) {
  std::unordered_map<size_t, size_t> place;
  double position = -1e300;
  for (const size_t cluster : order.sequence()) {
    place.emplace(cluster, place.size());
    if (order.position(cluster) <= position) return false;
    position = order.position(cluster);
  }
  for (size_t step = 0; step < successors.size(); ++step) {
    for (const size_t later : successors[step]) {
      const size_t from = order.of(step);
      const size_t to = order.of(later);
      if (from != to && place.at(from) >= place.at(to)) return false;
    }
  }
  return true;
}

TEST(ClusterOrder, StaysInOrderAsClustersMerge) {
  std::mt19937 random(7);
  for (int round = 0; round < 30; ++round) {
    const size_t count = 2 + random() % 60;
    Successors successors(count);
    for (size_t i = 0; i + 1 < count; ++i) {
      for (size_t k = random() % 3; k-- > 0;) successors[i].push_back(i + 1 + random() % (count - i - 1));
    }
    ClusterOrder order(successors);
    for (int merges = 0; merges < 80; ++merges) {
      const size_t from = order.of(random() % count);
      const size_t into = order.of(random() % count);
      if (from == into || !order.merge(from, into)) continue;
      ASSERT_EQ(order.of(from), into);
      ASSERT_TRUE(is_in_order(order, successors));
    }
  }
}

TEST(ClusterOrder, RefusesWhatWouldNeedItself) {
  ClusterOrder order({{1}, {2}, {}});
  EXPECT_FALSE(order.merge(0, 2));
  EXPECT_TRUE(order.merge(0, 1));
  EXPECT_TRUE(order.merge(order.of(0), 2));
  EXPECT_EQ(order.sequence(), std::vector<size_t>{2});
}

TEST(ClusterOrder, FindsRoomForManyMoves) {
  // Each step of a long way out is merged with its partner on the way back, with readers in between.
  constexpr size_t kPairs = 2000;
  Successors successors(3 * kPairs);
  for (size_t i = 0; i < kPairs; ++i) successors[i] = {kPairs + i};
  ClusterOrder order(successors);
  for (size_t i = 0; i < kPairs; ++i) ASSERT_TRUE(order.merge(i, 2 * kPairs));
  EXPECT_TRUE(is_in_order(order, successors));
  EXPECT_EQ(order.sequence().size(), 2 * kPairs);
}

}  // namespace
}  // namespace dyad::passes
