#include "data/image/geometry.h"

#include <gtest/gtest.h>

#include <cstring>

namespace dyad::data {

namespace {

/// An image in which every value is different as long as there are at most 256.
Image numbered(int64_t height, int64_t width, int64_t channels) {
  Image image = as_image(empty(DType::kUInt8, {height, width, channels}));
  for (int64_t i = 0; i < image.array->size(); ++i) image.row<uint8_t>(0)[i] = static_cast<uint8_t>(i + 1);
  return image;
}

bool equal(const Image& a, const Image& b) {
  return a.height == b.height && a.width == b.width && a.channels == b.channels &&
         std::memcmp(a.array->data, b.array->data, static_cast<size_t>(a.array->size())) == 0;
}

Point mapped(const PlaneMap& map, const Point& point) {
  const double depth = map.g * point.x + map.h * point.y + 1;
  return {(map.a * point.x + map.b * point.y + map.c) / depth,
          (map.d * point.x + map.e * point.y + map.f) / depth};
}

constexpr Sampling kAll[] = {Sampling::kNearest, Sampling::kBilinear, Sampling::kBicubic};

}  // namespace

TEST(Geometry, PerspectiveMapsTheGivenPoints) {
  const std::array<Point, 4> source = {Point{0, 0}, Point{50, 2}, Point{47, 33}, Point{-3, 30}};
  const std::array<Point, 4> result = {Point{4, 1}, Point{40, 0}, Point{60, 40}, Point{0, 35}};
  PlaneMap map;
  ASSERT_TRUE(perspective_map(source, result, map));
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(mapped(map, result[i]).x, source[i].x, 1e-9);
    EXPECT_NEAR(mapped(map, result[i]).y, source[i].y, 1e-9);
  }
}

TEST(Geometry, PointsOnALineHaveNoPerspective) {
  const std::array<Point, 4> square = {Point{0, 0}, Point{9, 0}, Point{9, 9}, Point{0, 9}};
  const std::array<Point, 4> line = {Point{0, 0}, Point{1, 1}, Point{2, 2}, Point{0, 9}};
  const std::array<Point, 4> point = {Point{1, 1}, Point{1, 1}, Point{1, 1}, Point{1, 1}};
  PlaneMap map;
  EXPECT_FALSE(perspective_map(square, line, map));
  EXPECT_FALSE(perspective_map(square, point, map));
}

TEST(Geometry, AffineChangesKeepTheCentre) {
  const PlaneMap map = affine_map({30, {3, -2}, 1.5, {10, 20}}, {7, 5});
  EXPECT_NEAR(mapped(map, {10, 3}).x, 7, 1e-12);
  EXPECT_NEAR(mapped(map, {10, 3}).y, 5, 1e-12);
}

TEST(Geometry, NoChangeIsACopy) {
  for (const Sampling sampling : kAll) {
    const Image image = numbered(5, 7, 3);
    const Image made = warped(image, affine_map({}, middle(image)), 5, 7, sampling, {9, 9, 9});
    EXPECT_TRUE(equal(image, made));
    EXPECT_NE(image.array->data, made.array->data);
  }
}

TEST(Geometry, FourQuarterTurnsAreNone) {
  const Image image = numbered(4, 9, 3);
  const Rotation quarter{90, Sampling::kBilinear, true, nullptr, {}};
  const Image once = rotated(image, quarter);
  EXPECT_EQ(once.height, 9);
  EXPECT_EQ(*once.pixel<uint8_t>(0, 0), *image.pixel<uint8_t>(0, 8));
  EXPECT_TRUE(equal(rotated(rotated(rotated(once, quarter), quarter), quarter), image));
}

TEST(Geometry, PointsThatAreNowhereShowTheFill) {
  const PlaneMap nowhere{NAN, INFINITY, 0, 0, -INFINITY, 0, 0, 1e308};
  for (const Sampling sampling : kAll) {
    const Image made = warped(numbered(3, 4, 5), nowhere, 2, 2, sampling, {1, 2, 3});
    const uint8_t wanted[] = {1, 2, 3, 3, 3};
    for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(std::memcmp(made.pixel<uint8_t>(i / 2, i % 2), wanted, 5), 0);
  }
}

TEST(Geometry, EverySizeStaysWithinItsMemory) {
  for (const int64_t height : {1, 2, 3, 8})
    for (const int64_t width : {1, 2, 5, 9})
      for (const Sampling sampling : kAll)
        for (const double degrees : {0.0, 1.0, 45.0, 89.999, 90.0, 200.0}) {
          const Image made = rotated(numbered(height, width, 3), {degrees, sampling, true, nullptr, {}});
          EXPECT_GE(made.height * made.width, height * width);
          const PlaneMap map = affine_map({degrees, {0.5, -0.5}, 1e-3, {40, -40}}, {0, 0});
          EXPECT_EQ(warped(numbered(height, width, 2), map, width, height, sampling, {}).height, width);
        }
}

}  // namespace dyad::data
