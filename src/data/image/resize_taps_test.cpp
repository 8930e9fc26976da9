#include "data/image/resize_taps.h"

#include <gtest/gtest.h>

#include <numeric>

namespace dyad::data {
namespace {

constexpr Interpolation kWithTaps[] = {Interpolation::kBilinear, Interpolation::kBicubic,
                                       Interpolation::kArea, Interpolation::kPilCubic};
constexpr int64_t kSizes[] = {1, 2, 3, 7, 64, 100};

TEST(ResizeTaps, WindowsLieInsideAndWeightsAddUpToOne) {
  for (const Interpolation interpolation : kWithTaps)
    for (const int64_t from : kSizes)
      for (const int64_t to : kSizes) {
        const Taps taps = taps_for(interpolation, from, to, from >= to);
        ASSERT_EQ(taps.size(), to);
        for (int64_t i = 0; i < to; ++i) {
          EXPECT_GE(taps.first[static_cast<size_t>(i)], 0);
          EXPECT_LE(taps.first[static_cast<size_t>(i)] + taps.count, from);
          EXPECT_NEAR(std::accumulate(taps.weights_of(i), taps.weights_of(i) + taps.count, 0.0), 1.0, 1e-5);
        }
      }
}

TEST(ResizeTaps, FixedWeightsAddUpToOneExactly) {
  for (const Interpolation interpolation : kWithTaps)
    for (const int64_t from : kSizes)
      for (const int64_t to : kSizes) {
        const Taps taps = taps_for(interpolation, from, to, from >= to);
        const int64_t padded = taps.count + 1;
        const auto fixed = fixed_weights(taps, padded);
        for (int64_t i = 0; i < to; ++i) {
          const int16_t* row = fixed.data() + i * padded;
          EXPECT_EQ(std::accumulate(row, row + padded, 0), 1 << kWeightBits);
          EXPECT_EQ(row[taps.count], 0);
        }
      }
}

TEST(ResizeTaps, AreasAreMeansOfWhatIsCovered) {
  const Taps taps = taps_for(Interpolation::kArea, 3, 2, true);
  EXPECT_EQ(taps.first[0], 0);
  EXPECT_NEAR(taps.weights_of(0)[0], 2.0 / 3, 1e-6);
  EXPECT_NEAR(taps.weights_of(0)[1], 1.0 / 3, 1e-6);
}

}  // namespace
}  // namespace dyad::data
