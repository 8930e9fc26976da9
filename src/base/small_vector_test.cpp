#include "base/small_vector.h"

#include <gtest/gtest.h>

namespace dyad {
namespace {

using Vector = SmallVector<int, 2>;

TEST(SmallVector, GrowsBeyondItself) {
  Vector v;
  for (int i = 0; i < 10; ++i) v.push_back(i);
  ASSERT_EQ(v.size(), 10u);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(v[static_cast<size_t>(i)], i);
}

TEST(SmallVector, CopyIsIndependent) {
  Vector a{1, 2, 3};
  Vector b = a;
  b[0] = 9;
  EXPECT_EQ(a, (Vector{1, 2, 3}));
  EXPECT_EQ(b, (Vector{9, 2, 3}));
}

TEST(SmallVector, MoveLeavesAnEmptyVectorThatCanBeUsed) {
  for (size_t count : {1u, 5u}) {
    Vector a(count, 7);
    Vector b = std::move(a);
    EXPECT_EQ(b, Vector(count, 7));
    EXPECT_TRUE(a.empty());  // NOLINT: the moved-from state is what is tested
    a.push_back(1);
    EXPECT_EQ(a, Vector{1});
    EXPECT_EQ(b, Vector(count, 7));
  }
}

TEST(SmallVector, MoveAssignmentFreesAndTakes) {
  Vector a{1, 2, 3, 4};
  a = Vector{5, 6, 7};
  EXPECT_EQ(a, (Vector{5, 6, 7}));
  Vector& same = a;
  a = same;
  EXPECT_EQ(a, (Vector{5, 6, 7}));
}

TEST(SmallVector, InsertAndErase) {
  Vector v{1, 3};
  v.insert(1, 2);
  v.insert(0, 0);
  v.insert(4, 4);
  EXPECT_EQ(v, (Vector{0, 1, 2, 3, 4}));
  v.erase(0);
  v.erase(3);
  EXPECT_EQ(v, (Vector{1, 2, 3}));
}

TEST(SmallVector, ResizeFillsOnlyWhatIsNew) {
  Vector v{1};
  v.resize(4, 8);
  EXPECT_EQ(v, (Vector{1, 8, 8, 8}));
  v.resize(2);
  EXPECT_EQ(v, (Vector{1, 8}));
}

TEST(SmallVector, EqualityLooksAtSizeFirst) {
  EXPECT_FALSE((Vector{1, 2}) == (Vector{1}));
  EXPECT_TRUE(Vector{} == Vector{});
}

}  // namespace
}  // namespace dyad
