#include "kernels/cpu/strided.h"

#include <gtest/gtest.h>

#include <vector>

namespace dyad::kernels {
namespace {

/// Where each element of array `a` lies, in the linear order of the loop.
std::vector<int64_t> places(const StridedLoop& loop, size_t a, int64_t begin, int64_t end) {
  std::vector<int64_t> out;
  for_each_run(loop, begin, end, [&](int64_t count, const int64_t* at) {
    for (int64_t i = 0; i < count; ++i) out.push_back(at[a] + i * loop.inner_stride(a));
  });
  return out;
}

TEST(StridedLoop, ContiguousArraysBecomeOneDimension) {
  const StridedLoop loop({2, 3, 4}, {Strides{12, 4, 1}, Strides{12, 4, 1}});
  EXPECT_EQ(loop.shape, Ints{24});
  EXPECT_EQ(loop.total, 24);
  EXPECT_EQ(loop.inner_stride(1), 1);
}

TEST(StridedLoop, SizeOneDimensionsDoNotKeepOthersApart) {
  const StridedLoop loop({2, 1, 3}, {Strides{3, 999, 1}});
  EXPECT_EQ(loop.shape, Ints{6});
}

TEST(StridedLoop, BroadcastStopsTheMerge) {
  const StridedLoop loop({2, 3}, {Strides{3, 1}, Strides{0, 1}});
  EXPECT_EQ(loop.shape, (Ints{2, 3}));
  EXPECT_EQ(places(loop, 1, 0, 6), (std::vector<int64_t>{0, 1, 2, 0, 1, 2}));
}

TEST(StridedLoop, TransposedAndReversedArrays) {
  const StridedLoop loop({2, 3}, {Strides{3, 1}, Strides{1, 2}, Strides{-3, -1}});
  EXPECT_EQ(places(loop, 1, 0, 6), (std::vector<int64_t>{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(places(loop, 2, 0, 6), (std::vector<int64_t>{0, -1, -2, -3, -4, -5}));
}

TEST(StridedLoop, PartsTogetherGiveTheWhole) {
  const StridedLoop loop({3, 4, 5}, {Strides{20, 5, 1}, Strides{1, 3, 12}});
  const auto whole = places(loop, 1, 0, 60);
  ASSERT_EQ(whole.size(), 60u);
  for (int64_t cut = 0; cut <= 60; ++cut) {
    auto parts = places(loop, 1, 0, cut);
    const auto rest = places(loop, 1, cut, 60);
    parts.insert(parts.end(), rest.begin(), rest.end());
    EXPECT_EQ(parts, whole) << cut;
  }
}

TEST(StridedLoop, ScalarsAndEmptyShapes) {
  const StridedLoop scalar({}, {Strides{}});
  EXPECT_EQ(scalar.total, 1);
  EXPECT_EQ(places(scalar, 0, 0, 1), std::vector<int64_t>{0});
  const StridedLoop nothing({2, 0}, {Strides{1, 1}});
  EXPECT_EQ(nothing.total, 0);
}

}  // namespace
}  // namespace dyad::kernels
