#include "data/image/geometry.h"

#include <algorithm>
#include <numbers>

namespace dyad::data {

namespace {

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

/// Without the last digits, so that the cosine of a quarter turn is zero.
double rounded(double value) { return std::round(value * 1e15) / 1e15; }

Point at(const PlaneMap& map, double x, double y) {
  return {map.a * x + map.b * y + map.c, map.d * x + map.e * y + map.f};
}

/// Moves the map so that the point `from` of the result shows the point `to` of the source.
void pin(PlaneMap& map, const Point& from, const Point& to) {
  map.c = map.f = 0;
  const Point shown = at(map, from.x, from.y);
  map.c = to.x - shown.x;
  map.f = to.y - shown.y;
}

/// The size of a turned image, and the map moved to show all of it.
void make_room(PlaneMap& map, int64_t& height, int64_t& width) {
  const auto w = static_cast<double>(width);
  const auto h = static_cast<double>(height);
  double left = INFINITY, right = -INFINITY, top = INFINITY, bottom = -INFINITY;
  for (const Point& corner : {Point{0, 0}, Point{w, 0}, Point{w, h}, Point{0, h}}) {
    const Point shown = at(map, corner.x, corner.y);
    left = std::min(left, shown.x), right = std::max(right, shown.x);
    top = std::min(top, shown.y), bottom = std::max(bottom, shown.y);
  }
  width = static_cast<int64_t>(std::ceil(right) - std::floor(left));
  height = static_cast<int64_t>(std::ceil(bottom) - std::floor(top));
  const Point corner = at(map, (w - static_cast<double>(width)) / 2, (h - static_cast<double>(height)) / 2);
  map.c = corner.x;
  map.f = corner.y;
}

/// The map of a counter-clockwise turn by a quarter of the circle `quarters` times, onto an image of the
/// turned size.
PlaneMap quarter_turns(int quarters, int64_t height, int64_t width) {
  const auto w = static_cast<double>(width);
  const auto h = static_cast<double>(height);
  if (quarters == 1) return {0, -1, w, 1, 0, 0};
  if (quarters == 2) return {-1, 0, w, 0, -1, h};
  return {0, 1, 0, -1, 0, h};
}

/// Solves eight linear equations in place by elimination with the largest pivot; false where they have no
/// solution.
bool solve(std::array<std::array<double, 9>, 8>& rows) {
  for (size_t column = 0; column < 8; ++column) {
    size_t pivot = column;
    for (size_t row = column + 1; row < 8; ++row)
      if (std::abs(rows[row][column]) > std::abs(rows[pivot][column])) pivot = row;
    if (!(std::abs(rows[pivot][column]) > 1e-12)) return false;
    std::swap(rows[column], rows[pivot]);
    for (size_t row = 0; row < 8; ++row) {
      if (row == column) continue;
      const double factor = rows[row][column] / rows[column][column];
      for (size_t k = column; k < 9; ++k) rows[row][k] -= factor * rows[column][k];
    }
  }
  for (size_t row = 0; row < 8; ++row) rows[row][8] /= rows[row][row];
  return true;
}

}  // namespace

Image rotated(const Image& image, const Rotation& rotation) {
  double degrees = std::fmod(rotation.degrees, 360.0);
  if (degrees < 0) degrees += 360;
  if (!rotation.center) {
    if (degrees == 0) return copy_of(image);
    const bool fits = degrees == 180 || rotation.expand || image.height == image.width;
    if (std::fmod(degrees, 90.0) == 0 && fits) {
      const bool lies = degrees != 180;
      return warped(image, quarter_turns(static_cast<int>(degrees / 90), image.height, image.width),
                    lies ? image.width : image.height, lies ? image.height : image.width, Sampling::kNearest,
                    rotation.fill);
    }
  }
  const double angle = -radians(degrees);
  PlaneMap map{rounded(std::cos(angle)),  rounded(std::sin(angle)), 0,
               rounded(-std::sin(angle)), rounded(std::cos(angle)), 0};
  const Point center = rotation.center ? *rotation.center : middle(image);
  pin(map, center, center);
  int64_t height = image.height;
  int64_t width = image.width;
  if (rotation.expand) make_room(map, height, width);
  return warped(image, map, height, width, rotation.sampling, rotation.fill);
}

PlaneMap affine_map(const AffineChange& change, const Point& center) {
  const double turn = radians(change.degrees);
  const double along = radians(change.shear.x);
  const double down = radians(change.shear.y);
  const double a = std::cos(turn - down) / std::cos(down);
  const double b = -a * std::tan(along) - std::sin(turn);
  const double c = std::sin(turn - down) / std::cos(down);
  const double d = -c * std::tan(along) + std::cos(turn);
  // The inverse of (a b; c d), whose determinant is 1.
  PlaneMap map{d / change.scale, -b / change.scale, 0, -c / change.scale, a / change.scale, 0};
  pin(map, {center.x + change.move.x, center.y + change.move.y}, center);
  return map;
}

bool perspective_map(const std::array<Point, 4>& source, const std::array<Point, 4>& result, PlaneMap& map) {
  std::array<std::array<double, 9>, 8> rows{};
  for (size_t i = 0; i < 4; ++i) {
    const auto [x, y] = result[i];
    const auto [u, v] = source[i];
    rows[2 * i] = {x, y, 1, 0, 0, 0, -u * x, -u * y, u};
    rows[2 * i + 1] = {0, 0, 0, x, y, 1, -v * x, -v * y, v};
  }
  if (!solve(rows)) return false;
  map = {rows[0][8], rows[1][8], rows[2][8], rows[3][8], rows[4][8], rows[5][8], rows[6][8], rows[7][8]};
  return true;
}

}  // namespace dyad::data
