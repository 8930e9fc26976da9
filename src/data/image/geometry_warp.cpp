#include <algorithm>
#include <cstring>
#include <vector>

#include "data/image/geometry.h"

namespace dyad::data {

namespace {

/// The points of the source that a row of the result shows.
struct Points {
  std::vector<double> x, y;

  explicit Points(int64_t width) : x(static_cast<size_t>(width)), y(static_cast<size_t>(width)) {}

  void map_row(const PlaneMap& map, int64_t row) {
    const double down = static_cast<double>(row) + 0.5;
    const auto width = static_cast<int64_t>(x.size());
    for (int64_t i = 0; i < width; ++i) {
      const double across = static_cast<double>(i) + 0.5;
      x[static_cast<size_t>(i)] = map.a * across + map.b * down + map.c;
      y[static_cast<size_t>(i)] = map.d * across + map.e * down + map.f;
    }
    if (!map.affine()) divide(map, down);
  }

 private:
  void divide(const PlaneMap& map, double down) {
    for (size_t i = 0; i < x.size(); ++i) {
      const double depth = map.g * (static_cast<double>(i) + 0.5) + map.h * down + 1;
      x[i] /= depth;
      y[i] /= depth;
    }
  }
};

/// Whether the point is in the source; NaN is not.
bool inside(const Image& image, double x, double y) {
  return x >= 0 && x < static_cast<double>(image.width) && y >= 0 && y < static_cast<double>(image.height);
}

int64_t within(int64_t position, int64_t size) { return std::clamp<int64_t>(position, 0, size - 1); }

/// A value as an element: integers are cut off at the ends of their range and of their fraction.
template <class T>
T cut(double value) {
  if constexpr (std::is_integral_v<T> && sizeof(T) < 4) {
    constexpr double kLow = std::numeric_limits<T>::lowest();
    constexpr double kHigh = std::numeric_limits<T>::max();
    const double above = value > kLow ? value : kLow;
    return static_cast<T>(static_cast<int>(above < kHigh ? above : kHigh));
  } else if constexpr (std::is_integral_v<T>) {
    return to_element<T>(std::trunc(value));
  } else {
    return static_cast<T>(value);
  }
}

double cubic(double v1, double v2, double v3, double v4, double d) {
  const double p2 = v3 - v1;
  const double p3 = 2 * (v1 - v2) + v3 - v4;
  const double p4 = v2 - v1 - v3 + v4;
  return v2 + d * (p2 + d * (p3 + d * p4));
}

/// `kChannels` is 0 where their number is not known while compiling.
template <int kChannels, class T>
void sample_bilinear(const Image& image, double x, double y, T* to) {
  const int64_t channels = kChannels ? kChannels : image.channels;
  const auto left = static_cast<int64_t>(std::floor(x - 0.5));
  const auto top = static_cast<int64_t>(std::floor(y - 0.5));
  const double dx = x - 0.5 - static_cast<double>(left);
  const double dy = y - 0.5 - static_cast<double>(top);
  const int64_t x0 = within(left, image.width) * channels;
  const int64_t x1 = within(left + 1, image.width) * channels;
  const T* upper = image.row<T>(within(top, image.height));
  const T* lower = image.row<T>(within(top + 1, image.height));
  const auto between = [&](const T* row, int64_t c) {
    const auto first = static_cast<double>(row[x0 + c]);
    return first + (static_cast<double>(row[x1 + c]) - first) * dx;
  };
  for (int64_t c = 0; c < channels; ++c) {
    const double above = between(upper, c);
    to[c] = cut<T>(above + (between(lower, c) - above) * dy);
  }
}

template <int kChannels, class T>
void sample_bicubic(const Image& image, double x, double y, T* to) {
  const int64_t channels = kChannels ? kChannels : image.channels;
  const auto left = static_cast<int64_t>(std::floor(x - 0.5));
  const auto top = static_cast<int64_t>(std::floor(y - 0.5));
  const double dx = x - 0.5 - static_cast<double>(left);
  const double dy = y - 0.5 - static_cast<double>(top);
  int64_t columns[4];
  const T* rows[4];
  for (int64_t i = 0; i < 4; ++i) {
    columns[i] = within(left - 1 + i, image.width) * channels;
    rows[i] = image.row<T>(within(top - 1 + i, image.height));
  }
  const auto along = [&](const T* row, int64_t c) {
    return cubic(static_cast<double>(row[columns[0] + c]), static_cast<double>(row[columns[1] + c]),
                 static_cast<double>(row[columns[2] + c]), static_cast<double>(row[columns[3] + c]), dx);
  };
  for (int64_t c = 0; c < channels; ++c)
    to[c] = cut<T>(cubic(along(rows[0], c), along(rows[1], c), along(rows[2], c), along(rows[3], c), dy));
}

template <int kChannels, class T>
void warp_smooth(const Image& image, const PlaneMap& map, Sampling sampling, const Image& made) {
  const bool linear = sampling == Sampling::kBilinear;
  Points points(made.width);
  for (int64_t row = 0; row < made.height; ++row) {
    points.map_row(map, row);
    T* to = made.row<T>(row);
    for (size_t i = 0; i < points.x.size(); ++i, to += made.channels) {
      const double x = points.x[i];
      const double y = points.y[i];
      if (!inside(image, x, y)) continue;
      linear ? sample_bilinear<kChannels>(image, x, y, to) : sample_bicubic<kChannels>(image, x, y, to);
    }
  }
}

/// One pixel, of a size that the compiler knows where it is usual.
void copy_pixel(std::byte* to, const std::byte* from, size_t bytes) {
  switch (bytes) {
    case 1:
      *to = *from;
      break;
    case 3:
      std::memcpy(to, from, 3);
      break;
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 12:
      std::memcpy(to, from, 12);
      break;
    default:
      std::memcpy(to, from, bytes);
  }
}

/// Nearest pixels under an affine map, with positions in 65536ths of a pixel.
class FixedMap {
 public:
  explicit FixedMap(const PlaneMap& map)
      : a_(fixed(map.a)),
        b_(fixed(map.b)),
        d_(fixed(map.d)),
        e_(fixed(map.e)),
        x_(fixed(map.c + map.a * 0.5 + map.b * 0.5)),
        y_(fixed(map.f + map.d * 0.5 + map.e * 0.5)) {}

  /// Whether no position of an image of this size can overflow.
  static bool fits(const PlaneMap& map, int64_t height, int64_t width) {
    const auto size = static_cast<double>(std::max(height, width));
    const double largest = std::max({std::abs(map.a) * size, std::abs(map.b) * size, std::abs(map.c),
                                     std::abs(map.d) * size, std::abs(map.e) * size, std::abs(map.f)});
    return map.affine() && largest < 0x1p40;
  }

  template <class F>
  void each(int64_t height, int64_t width, F&& visit) {
    for (int64_t row = 0; row < height; ++row, x_ += b_, y_ += e_) {
      int64_t x = x_;
      int64_t y = y_;
      for (int64_t column = 0; column < width; ++column, x += a_, y += d_)
        visit(row, column, x >> 16, y >> 16);
    }
  }

 private:
  static int64_t fixed(double value) { return static_cast<int64_t>(std::floor(value * 65536 + 0.5)); }
  int64_t a_, b_, d_, e_, x_, y_;
};

void warp_nearest(const Image& image, const PlaneMap& map, const Image& made) {
  const auto bytes = static_cast<size_t>(image.channels * itemsize(image.dtype()));
  const auto* from = static_cast<const std::byte*>(image.array->data);
  auto* to = static_cast<std::byte*>(made.array->data);
  const auto copy = [&](int64_t row, int64_t column, int64_t x, int64_t y) {
    if (x >= 0 && x < image.width && y >= 0 && y < image.height)
      copy_pixel(to + static_cast<size_t>(row * made.width + column) * bytes,
                 from + static_cast<size_t>(y * image.width + x) * bytes, bytes);
  };
  if (FixedMap::fits(map, made.height, made.width)) return FixedMap(map).each(made.height, made.width, copy);
  Points points(made.width);
  for (int64_t row = 0; row < made.height; ++row) {
    points.map_row(map, row);
    for (int64_t i = 0; i < made.width; ++i) {
      const double x = points.x[static_cast<size_t>(i)];
      const double y = points.y[static_cast<size_t>(i)];
      if (inside(image, x, y)) copy(row, i, static_cast<int64_t>(x), static_cast<int64_t>(y));
    }
  }
}

template <class T>
void fill_with(const Image& made, const Fill& fill) {
  T* to = made.row<T>(0);
  for (int64_t i = 0, size = made.array->size(); i < size; i += made.channels)
    for (int64_t c = 0; c < made.channels; ++c)
      to[i + c] = to_element<T>(fill[static_cast<size_t>(std::min<int64_t>(c, 2))]);
}

}  // namespace

Image warped(const Image& image, const PlaneMap& map, int64_t height, int64_t width, Sampling sampling,
             const Fill& fill) {
  const Image made = empty_image(image, height, width);
  visit_real("image", image.dtype(), [&](auto typed) {
    using T = typename decltype(typed)::type;
    fill_with<T>(made, fill);
    if (sampling == Sampling::kNearest) return;
    image.channels == 3 ? warp_smooth<3, T>(image, map, sampling, made)
                        : warp_smooth<0, T>(image, map, sampling, made);
  });
  if (sampling == Sampling::kNearest) warp_nearest(image, map, made);
  return made;
}

}  // namespace dyad::data
