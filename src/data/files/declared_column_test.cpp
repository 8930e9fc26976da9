#include "data/files/declared_column.h"

#include <gtest/gtest.h>

namespace dyad::data {
namespace {

TEST(DeclaredColumn, ResolvesShapes) {
  Shape shape;
  EXPECT_TRUE((DeclaredColumn{"x", "", false, {}}).shape_for(5, shape));
  EXPECT_EQ(shape, (Shape{5}));
  EXPECT_TRUE((DeclaredColumn{"x", "", true, {}}).shape_for(1, shape));
  EXPECT_EQ(shape, (Shape{}));
  EXPECT_TRUE((DeclaredColumn{"x", "", true, {2, -1}}).shape_for(6, shape));
  EXPECT_EQ(shape, (Shape{2, 3}));
}

TEST(DeclaredColumn, RefusesCountsThatDoNotFit) {
  Shape shape;
  EXPECT_FALSE((DeclaredColumn{"x", "", true, {}}).shape_for(2, shape));
  EXPECT_FALSE((DeclaredColumn{"x", "", true, {2, -1}}).shape_for(5, shape));
  EXPECT_FALSE((DeclaredColumn{"x", "", true, {-1, -1}}).shape_for(4, shape));
  EXPECT_FALSE((DeclaredColumn{"x", "", true, {0, -1}}).shape_for(0, shape));
  EXPECT_FALSE((DeclaredColumn{"x", "", true, {int64_t{1} << 40, int64_t{1} << 40}}).shape_for(0, shape));
}

}  // namespace
}  // namespace dyad::data
