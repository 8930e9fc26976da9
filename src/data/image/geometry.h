#pragma once

#include <array>
#include <cmath>

#include "data/image/image.h"

namespace dyad::data {

/// How a value between pixels is made.
enum class Sampling { kNearest, kBilinear, kBicubic };

/// For a point of the result, the point of the source that it shows: ((a x + b y + c) / w, (d x + e y + f) /
/// w) with w = g x + h y + 1. The centre of the first pixel is at (0.5, 0.5).
struct PlaneMap {
  double a = 1, b = 0, c = 0;
  double d = 0, e = 1, f = 0;
  double g = 0, h = 0;

  bool affine() const { return g == 0 && h == 0; }
};

/// A point of the plane.
struct Point {
  double x = 0, y = 0;
};

/// What a result pixel is whose point lies outside of the source: a value per channel; the last one counts
/// for all further channels.
using Fill = std::array<double, 3>;

/// A new image of the given size; where the map points outside of the source, it shows `fill`.
Image warped(const Image& image, const PlaneMap& map, int64_t height, int64_t width, Sampling sampling,
             const Fill& fill);

/// A rotation counter-clockwise about `center` (null: the middle).
struct Rotation {
  double degrees = 0;
  Sampling sampling = Sampling::kNearest;
  bool expand = false;  ///< makes the result as large as the turned image is
  const Point* center = nullptr;
  Fill fill{};
};
/// Quarter turns about the middle are exact copies.
Image rotated(const Image& image, const Rotation& rotation);

/// The map of an affine change about `center`: sheared and scaled, turned clockwise, then moved.
struct AffineChange {
  double degrees = 0;
  Point move;  ///< in pixels
  double scale = 1;
  Point shear;  ///< in degrees along x and y
};
PlaneMap affine_map(const AffineChange& change, const Point& center);

/// The map under which four points of the source come to lie at four points of the result. False if there is
/// none, as when three of them are on a line.
bool perspective_map(const std::array<Point, 4>& source, const std::array<Point, 4>& result, PlaneMap& map);

/// The middle of an image.
inline Point middle(const Image& image) {
  return {static_cast<double>(image.width) / 2, static_cast<double>(image.height) / 2};
}

}  // namespace dyad::data
