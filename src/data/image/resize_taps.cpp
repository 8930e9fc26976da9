#include "data/image/resize_taps.h"

#include <algorithm>
#include <cmath>

namespace dyad::data {

namespace {

/// Collects weights at places, which may lie outside: those count for the place at the edge.
class Collector {
 public:
  Collector(int64_t from, int64_t to, int64_t count) : from_(from) {
    taps_.count = std::min(count, from);
    taps_.first.reserve(static_cast<size_t>(to));
    taps_.weights.reserve(static_cast<size_t>(to * taps_.count));
  }
  void begin(int64_t first) {
    first = std::clamp<int64_t>(first, 0, from_ - taps_.count);
    taps_.first.push_back(first);
    taps_.weights.resize(taps_.weights.size() + static_cast<size_t>(taps_.count));
  }
  void add(int64_t place, double weight) {
    const int64_t inside = std::clamp<int64_t>(place, 0, from_ - 1) - taps_.first.back();
    const int64_t at = std::clamp<int64_t>(inside, 0, taps_.count - 1);
    taps_.weights[taps_.weights.size() - static_cast<size_t>(taps_.count - at)] += static_cast<float>(weight);
  }
  Taps take() { return std::move(taps_); }

 private:
  int64_t from_;
  Taps taps_;
};

double cubic(double x, double a) {
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

Taps bilinear_taps(int64_t from, int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  Collector taps(from, to, 2);
  for (int64_t i = 0; i < to; ++i) {
    const double center = (static_cast<double>(i) + 0.5) * scale - 0.5;
    const double left = std::floor(center);
    const auto first = static_cast<int64_t>(left);
    taps.begin(first);
    taps.add(first, 1 - (center - left));
    taps.add(first + 1, center - left);
  }
  return taps.take();
}

Taps bicubic_taps(int64_t from, int64_t to) {
  constexpr double kSharpness = -0.75;
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  Collector taps(from, to, 4);
  for (int64_t i = 0; i < to; ++i) {
    const double center = (static_cast<double>(i) + 0.5) * scale - 0.5;
    const auto first = static_cast<int64_t>(std::floor(center)) - 1;
    taps.begin(first);
    for (int64_t place = first; place < first + 4; ++place)
      taps.add(place, cubic(center - static_cast<double>(place), kSharpness));
  }
  return taps.take();
}

/// A mean where a pixel covers one or more; the share of each neighbour, without blurring, where it covers
/// less.
Taps growing_area_taps(int64_t from, int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  Collector taps(from, to, 2);
  for (int64_t i = 0; i < to; ++i) {
    const auto first = static_cast<int64_t>(std::floor(static_cast<double>(i) * scale));
    double share = static_cast<double>(i + 1) - static_cast<double>(first + 1) / scale;
    share = share <= 0 ? 0 : share - std::floor(share);
    taps.begin(first);
    taps.add(first, 1 - share);
    taps.add(first + 1, share);
  }
  return taps.take();
}

Taps area_taps(int64_t from, int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  Collector taps(from, to, static_cast<int64_t>(std::ceil(scale)) + 1);
  for (int64_t i = 0; i < to; ++i) {
    const double begin = static_cast<double>(i) * scale;
    const double end = std::min(begin + scale, static_cast<double>(from));
    taps.begin(static_cast<int64_t>(begin));
    for (auto place = static_cast<int64_t>(begin); static_cast<double>(place) < end; ++place) {
      const double covered =
          std::min(end, static_cast<double>(place + 1)) - std::max(begin, static_cast<double>(place));
      taps.add(place, covered / (end - begin));
    }
  }
  return taps.take();
}

/// Bicubic over a support that grows with the reduction.
Taps pil_cubic_taps(int64_t from, int64_t to) {
  constexpr double kSharpness = -0.5;
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double stretch = std::max(scale, 1.0);
  const double support = 2 * stretch;
  Collector taps(from, to, static_cast<int64_t>(std::ceil(support)) * 2 + 1);
  for (int64_t i = 0; i < to; ++i) {
    const double center = (static_cast<double>(i) + 0.5) * scale;
    const auto first = std::max<int64_t>(static_cast<int64_t>(center - support + 0.5), 0);
    const auto last = std::min<int64_t>(static_cast<int64_t>(center + support + 0.5), from);
    double sum = 0;
    for (int64_t place = first; place < last; ++place)
      sum += cubic((static_cast<double>(place) - center + 0.5) / stretch, kSharpness);
    taps.begin(first);
    for (int64_t place = first; place < last; ++place)
      taps.add(place, cubic((static_cast<double>(place) - center + 0.5) / stretch, kSharpness) / sum);
  }
  return taps.take();
}

}  // namespace

Taps taps_for(Interpolation interpolation, int64_t from, int64_t to, bool shrinks) {
  switch (interpolation) {
    case Interpolation::kBilinear:
      return bilinear_taps(from, to);
    case Interpolation::kBicubic:
      return bicubic_taps(from, to);
    case Interpolation::kArea:
      return shrinks ? area_taps(from, to) : growing_area_taps(from, to);
    case Interpolation::kPilCubic:
      return pil_cubic_taps(from, to);
    case Interpolation::kNearest:
    case Interpolation::kAntialias:
      break;
  }
  raise_internal("the interpolation has taps", __FILE__, __LINE__);
}

Taps unchanged_taps(int64_t size) {
  Collector taps(size, size, 1);
  for (int64_t i = 0; i < size; ++i) {
    taps.begin(i);
    taps.add(i, 1);
  }
  return taps.take();
}

std::vector<int16_t> fixed_weights(const Taps& taps, int64_t padded_count) {
  constexpr int kOne = 1 << kWeightBits;
  std::vector<int16_t> fixed(static_cast<size_t>(taps.size() * padded_count));
  for (int64_t i = 0; i < taps.size(); ++i) {
    const float* weights = taps.weights_of(i);
    int16_t* row = fixed.data() + i * padded_count;
    int sum = 0;
    for (int64_t k = 0; k < taps.count; ++k) {
      row[k] = static_cast<int16_t>(std::lround(weights[k] * kOne));
      sum += row[k];
    }
    *std::max_element(row, row + taps.count) += static_cast<int16_t>(kOne - sum);
  }
  return fixed;
}

}  // namespace dyad::data
