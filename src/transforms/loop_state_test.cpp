#include "transforms/loop_state.h"

#include <gtest/gtest.h>

#include <string>

namespace dyad::transforms {
namespace {

TEST(LoopState, FlattensInTheOrderOfItsParts) {
  const LoopBackwardState<int> state{{7}, {1, 2}, {3}, {4, 5, 6}};
  EXPECT_EQ(flatten(state), (std::vector<int>{7, 1, 2, 3, 4, 5, 6}));
}

TEST(LoopState, UnflattensToThePartsOfAnother) {
  const LoopForwardState<int> structure{{0, 0}, {0}, {}, {0}};
  const auto state = unflatten(structure, std::vector<std::string>{"x", "y", "n", "k"});
  EXPECT_EQ(state.carried, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(state.rounds, (std::vector<std::string>{"n"}));
  EXPECT_TRUE(state.stacks.empty());
  EXPECT_EQ(state.constants, (std::vector<std::string>{"k"}));
}

}  // namespace
}  // namespace dyad::transforms
