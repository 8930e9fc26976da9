#pragma once

// Which elements of an image a point of a sampling grid looks at: read by the kernels of every device.

#include <cmath>
#include <cstdint>

namespace dyad::kernels {

/// Sizes of a sampling: images of up to three spatial dimensions (depth, height, width; missing ones are 1).
struct GridSampling {
  int64_t images;
  int64_t channels;
  int64_t in[3];
  int64_t points;  ///< per image
  int spatial;
  bool nearest;
  bool border;  ///< places outside take the border's value instead of zero
  bool reflection;
  bool corners;  ///< -1 and 1 are the centres of the outermost elements, not their edges

  int64_t in_size() const { return in[0] * in[1] * in[2]; }
};

/// A coordinate in elements and its derivative by the grid's number.
struct GridCoordinate {
  double at;
  double slope;
};

inline GridCoordinate reflected(GridCoordinate c, double low, double high) {
  const double span = high - low;
  if (span <= 0) return {0, 0};
  double distance = c.at - low;
  double slope = c.slope;
  if (distance < 0) {
    distance = -distance;
    slope = -slope;
  }
  const double turns = std::floor(distance / span);
  const double rest = distance - turns * span;
  if (std::fmod(turns, 2.0) != 0) return {high - rest, -slope};
  return {low + rest, slope};
}

inline GridCoordinate grid_coordinate(const GridSampling& s, double number, int64_t size) {
  const double n = static_cast<double>(size);
  GridCoordinate c = s.corners ? GridCoordinate{(number + 1) / 2 * (n - 1), (n - 1) / 2}
                               : GridCoordinate{((number + 1) * n - 1) / 2, n / 2};
  if (s.reflection) c = s.corners ? reflected(c, 0, n - 1) : reflected(c, -0.5, n - 0.5);
  if (s.border || s.reflection) {
    if (!(c.at > 0)) c = {0, c.at == 0 ? c.slope : 0};
    if (c.at > n - 1) c = {n - 1, 0};
  }
  if (!(std::fabs(c.at) <= 1e300)) return {-2, 0};  // not finite: outside
  return {c.at < -2 ? -2 : c.at > n + 1 ? n + 1 : c.at, c.slope};
}

inline constexpr int kMostGridTaps = 8;

/// An element that a point looks at: where, with which weight, and how the weight changes along each
/// dimension.
struct GridTap {
  int64_t at;
  double weight;
  double change[3];
};

/// The elements of the point, of which the grid names the width first; their number is the result.
template <class T>
inline int find_grid_taps(const GridSampling& s, const T* point, GridTap* taps) {
  GridCoordinate c[3] = {{0, 0}, {0, 0}, {0, 0}};
  for (int d = 0; d < s.spatial; ++d)
    c[2 - d] = grid_coordinate(s, static_cast<double>(point[d]), s.in[2 - d]);
  int count = 0;
  if (s.nearest) {
    int64_t at = 0;
    for (int d = 0; d < 3; ++d) {
      const auto near = static_cast<int64_t>(std::nearbyint(c[d].at));
      if (near < 0 || near >= s.in[d]) return 0;
      at = at * s.in[d] + near;
    }
    taps[count++] = {at, 1, {0, 0, 0}};
    return count;
  }
  for (int corner = 0; corner < 1 << s.spatial; ++corner) {
    GridTap tap{0, 1, {1, 1, 1}};
    bool inside = true;
    for (int d = 0; d < 3; ++d) {
      const double low = std::floor(c[d].at);
      const bool upper = d >= 3 - s.spatial && (corner >> (2 - d) & 1);
      const int64_t at = static_cast<int64_t>(low) + upper;
      inside = inside && at >= 0 && at < s.in[d];
      tap.at = tap.at * s.in[d] + at;
      const double share = upper ? c[d].at - low : 1 - (c[d].at - low);
      tap.weight *= share;
      for (int other = 0; other < 3; ++other)
        tap.change[other] *= other == d ? (upper ? 1 : -1) * c[d].slope : share;
    }
    if (inside) taps[count++] = tap;
  }
  return count;
}

}  // namespace dyad::kernels
