#include "base/pointer_map.h"

#include <gtest/gtest.h>

#include <memory>

namespace dyad {
namespace {

TEST(PointerMap, FindsWhatWasPutInAndNothingElse) {
  std::vector<std::unique_ptr<int>> keys;
  PointerMap<int> map(3);
  for (int i = 0; i < 1000; ++i) {
    keys.push_back(std::make_unique<int>(i));
    map[keys.back().get()] = i;
  }
  const int other = 0;
  EXPECT_EQ(map.size(), 1000u);
  EXPECT_EQ(map.find(&other), nullptr);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_NE(map.find(keys[static_cast<size_t>(i)].get()), nullptr);
    ASSERT_EQ(*map.find(keys[static_cast<size_t>(i)].get()), i);
  }
  map[keys[7].get()] = 70;
  EXPECT_EQ(map.size(), 1000u);
  EXPECT_EQ(map[keys[7].get()], 70);
}

}  // namespace
}  // namespace dyad
