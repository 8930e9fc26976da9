#pragma once

// Which positions of an axis a resized one reads, and with which weights: read by the kernels of every
// device.

#include <cmath>
#include <cstdint>

namespace dyad::kernels {

/// How values between positions are made.
enum class Resampling : int { kNearest, kNearestExact, kLinear, kCubic, kTabulatedCubic };

inline constexpr int kMostResampled = 4;  ///< positions that one output position reads

/// An axis of `in` positions that is resized to `out`.
struct ResampledAxis {
  int64_t in;
  int64_t out;
  double step;  ///< input positions per output position
  bool corners;
  bool half_pixel;
  Resampling mode;

  /// Input positions from one output position to the next.
  double slope() const {
    if (!corners) return step;
    return out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0;
  }
  double source(int64_t position) const {
    if (corners)
      return out > 1
                 ? static_cast<double>(position) * static_cast<double>(in - 1) / static_cast<double>(out - 1)
                 : 0;
    return half_pixel ? (static_cast<double>(position) + 0.5) * step - 0.5
                      : static_cast<double>(position) * step;
  }
  int64_t clamped(double position) const {
    const auto at = static_cast<int64_t>(position);
    return at < 0 ? 0 : at > in - 1 ? in - 1 : at;
  }
};

inline int resampled_positions(Resampling mode) {
  if (mode == Resampling::kCubic || mode == Resampling::kTabulatedCubic) return 4;
  return mode == Resampling::kLinear ? 2 : 1;
}

/// Keys' cubic kernel; PyTorch has a = -0.75 throughout.
inline double cubic_weight(double distance, double a = -0.75) {
  const double d = std::fabs(distance);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/// TensorFlow's table of cubic kernels has this many phases between two positions.
inline constexpr double kCubicPhases = 1024;

/// Cubic weights at the nearest phase of the table. Pixel centres at one half make the kernel Catmull-Rom's,
/// and what lies outside is left out and made up for; other coordinates repeat the edge.
inline void find_tabulated_cubic(const ResampledAxis& axis, int64_t o, int64_t* from, double* weight) {
  const double position = axis.source(o);
  const double low = std::floor(position);
  const double phase = std::round((position - low) * kCubicPhases) / kCubicPhases;
  const bool leaves_out = axis.half_pixel;
  double sum = 0;
  for (int k = -1; k <= 2; ++k) {
    from[k + 1] = axis.clamped(low + k);
    const bool outside = low + k < 0 || low + k > static_cast<double>(axis.in - 1);
    weight[k + 1] = leaves_out && outside ? 0 : cubic_weight(phase - k, leaves_out ? -0.5 : -0.75);
    sum += weight[k + 1];
  }
  if (!leaves_out || sum == 0) return;
  for (int k = 0; k < 4; ++k) weight[k] /= sum;
}

/// What output position `o` reads: `resampled_positions` places and their weights.
inline void find_resampled(const ResampledAxis& axis, int64_t o, int64_t* from, double* weight) {
  if (axis.mode == Resampling::kLinear) {
    const double source = axis.source(o);
    const double position = source < 0 ? 0 : source;
    const double low = std::floor(position);
    from[0] = axis.clamped(low);
    from[1] = axis.clamped(low + 1);
    weight[0] = 1 - (position - low);
    weight[1] = position - low;
  } else if (axis.mode == Resampling::kCubic) {
    const double position = axis.source(o);
    const double low = std::floor(position);
    for (int k = -1; k <= 2; ++k) {
      from[k + 1] = axis.clamped(low + k);
      weight[k + 1] = cubic_weight(position - low - k);
    }
  } else if (axis.mode == Resampling::kTabulatedCubic) {
    find_tabulated_cubic(axis, o, from, weight);
  } else {
    const bool middle = axis.mode == Resampling::kNearestExact || axis.half_pixel;
    const double position = axis.corners
                                ? std::round(axis.source(o))
                                : std::floor((static_cast<double>(o) + (middle ? 0.5 : 0)) * axis.step);
    from[0] = axis.clamped(position);
    weight[0] = 1;
  }
}

}  // namespace dyad::kernels
