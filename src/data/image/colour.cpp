#include "data/image/colour.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace dyad::data {

namespace {

/// Calls `f` with the type of the elements: uint8, float32 or float64.
template <class F>
auto visit_colour(const Image& image, F&& f) {
  switch (image.dtype()) {
    case DType::kUInt8:
      return f.template operator()<uint8_t>();
    case DType::kFloat32:
      return f.template operator()<float>();
    default:
      return f.template operator()<double>();
  }
}

/// A value of the image's type: bytes are cut off, floats stay.
template <class T, class V>
T stored(V value) {
  if constexpr (std::is_same_v<T, uint8_t>) {
    return byte_of(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

/// The type that a blend is computed in.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class T>
T blend_of(T base, T value, double factor) {
  using W = Wide<T>;
  const W low = static_cast<W>(base);
  return stored<T>(low + static_cast<W>(factor) * (static_cast<W>(value) - low));
}

/// Every value blended with one base value.
template <class T>
Image blend_with(const Image& image, T base, double factor) {
  if constexpr (std::is_same_v<T, uint8_t>) {
    return looked_up(
        image, table_of([&](int value) { return blend_of<T>(base, static_cast<uint8_t>(value), factor); }));
  } else {
    Image made = empty_image(image, image.height, image.width);
    const T* from = image.row<T>(0);
    T* to = made.row<T>(0);
    for (int64_t i = 0, size = image.array->size(); i < size; ++i) to[i] = blend_of<T>(base, from[i], factor);
    return made;
  }
}

/// The mean of the luma; a whole number, rounded, for bytes.
template <class T>
T mean_luma(const Image& image) {
  const int64_t pixels = image.height * image.width;
  const T* at = image.row<T>(0);
  double sum = 0;
  if (image.channels == 3) {
    for (int64_t i = 0; i < pixels; ++i) sum += static_cast<double>(luma(at + 3 * i));
  } else {
    sum = std::accumulate(at, at + image.array->size(), 0.0);
  }
  const double mean = sum / static_cast<double>(image.channels == 3 ? pixels : image.array->size());
  return std::is_same_v<T, uint8_t> ? static_cast<T>(mean + 0.5) : static_cast<T>(mean);
}

/// A sum with 13 parts over 13, rounded for bytes. The product is exact for sums of bytes.
inline uint8_t thirteenth(uint16_t sum) {
  return static_cast<uint8_t>((static_cast<uint32_t>(sum + 6) * 5042u) >> 16);
}
inline float thirteenth(float sum) { return sum / 13; }
inline double thirteenth(double sum) { return sum / 13; }

/// Row `y` of the sharpened image: blended from the mean in which the eight neighbours count once and the
/// value itself five times. `sums` is room for a row of the image.
template <class T, class Sum>
void sharpen_row(const Image& image, int64_t y, double factor, Sum* __restrict sums, T* __restrict to) {
  const int64_t row = image.row_size();
  const int64_t pixel = image.channels;
  const T* from = image.row<T>(y);
  const T* above = from - row;
  const T* below = from + row;
  for (int64_t i = 0; i < row; ++i)
    sums[i] = static_cast<Sum>(static_cast<Sum>(above[i] + below[i]) + from[i]);
  for (int64_t i = pixel; i < row - pixel; ++i) {
    const Sum cross = static_cast<Sum>(sums[i - pixel] + sums[i + pixel]);
    const auto sum = static_cast<Sum>(cross + static_cast<Sum>(sums[i] + 4 * from[i]));
    to[i] = blend_of<T>(thirteenth(sum), from[i], factor);
  }
}

/// Three rows of one colour each.
template <class W>
struct Planes {
  std::vector<W> red, green, blue;

  explicit Planes(int64_t width)
      : red(static_cast<size_t>(width)),
        green(static_cast<size_t>(width)),
        blue(static_cast<size_t>(width)) {}
};

/// A place on the circle of six, once it is within one round of it.
template <class W>
W on_circle(W place) {
  const W raised = place < 0 ? place + 6 : place;
  return raised >= 6 ? raised - 6 : raised;
}

/// The channel whose colour is at `place` on the circle as seen from the hue.
template <class W>
W channel_of(W high, W span, W place) {
  const W near = place < 4 - place ? place : 4 - place;
  const W above = near > 0 ? near : 0;
  return high - span * (above < 1 ? above : 1);
}

/// Turns the hues of a row of pixels by `sixths` of the circle, in [-3, 3]. Without a branch.
template <class W>
void turn_hues(int64_t width, W sixths, W* __restrict red, W* __restrict green, W* __restrict blue) {
  for (int64_t i = 0; i < width; ++i) {
    const W r = red[i];
    const W g = green[i];
    const W b = blue[i];
    const W larger = r > g ? r : g;
    const W high = larger > b ? larger : b;
    const W smaller = r < g ? r : g;
    const W span = high - (smaller < b ? smaller : b);
    const W part = 1 / (span > 0 ? span : 1);
    const W by_blue = 4 + (r - g) * part;
    const W by_green = high == g ? 2 + (b - r) * part : by_blue;
    const W hue = on_circle(on_circle((high == r ? (g - b) * part : by_green) + sixths));
    red[i] = channel_of(high, span, on_circle(hue + 5));
    green[i] = channel_of(high, span, on_circle(hue + 3));
    blue[i] = channel_of(high, span, on_circle(hue + 1));
  }
}

/// A value in the range of the image's type, rounded for bytes.
template <class T, class W>
T nearest(W value) {
  return std::is_same_v<T, uint8_t> ? static_cast<T>(static_cast<int>(value + W(0.5)))
                                    : static_cast<T>(value);
}

template <class T>
void turn_row(const T* from, int64_t width, double turn, Planes<Wide<T>>& planes, T* to) {
  for (int64_t x = 0; x < width; ++x) {
    planes.red[static_cast<size_t>(x)] = from[3 * x];
    planes.green[static_cast<size_t>(x)] = from[3 * x + 1];
    planes.blue[static_cast<size_t>(x)] = from[3 * x + 2];
  }
  turn_hues(width, static_cast<Wide<T>>(6 * turn), planes.red.data(), planes.green.data(),
            planes.blue.data());
  for (int64_t x = 0; x < width; ++x) {
    to[3 * x] = nearest<T>(planes.red[static_cast<size_t>(x)]);
    to[3 * x + 1] = nearest<T>(planes.green[static_cast<size_t>(x)]);
    to[3 * x + 2] = nearest<T>(planes.blue[static_cast<size_t>(x)]);
  }
}

/// A row blended with the luma of its pixels. `greys` is room for a row.
template <class T>
void saturate_row(const T* __restrict from, int64_t width, double factor, T* __restrict greys,
                  T* __restrict to) {
  for (int64_t x = 0; x < width; ++x) greys[3 * x] = greys[3 * x + 1] = greys[3 * x + 2] = luma(from + 3 * x);
  for (int64_t i = 0; i < 3 * width; ++i) to[i] = blend_of<T>(greys[i], from[i], factor);
}

/// `f(value)` of every element as a double, for every type of elements.
template <class F>
Image each_value(const Image& image, F&& f) {
  if (image.dtype() == DType::kUInt8)
    return looked_up(image,
                     table_of([&](int value) { return to_element<uint8_t>(f(static_cast<double>(value))); }));
  Image made = empty_image(image, image.height, image.width);
  visit_real("image", image.dtype(), [&](auto typed) {
    using T = typename decltype(typed)::type;
    const T* from = image.row<T>(0);
    T* to = made.row<T>(0);
    for (int64_t i = 0, size = image.array->size(); i < size; ++i)
      to[i] = to_element<T>(f(static_cast<double>(from[i])));
  });
  return made;
}

}  // namespace

void require_bytes_or_floats(std::string_view reader, const Image& image) {
  require_dtype(reader, image, {DType::kUInt8, DType::kFloat32, DType::kFloat64});
}

Image looked_up(const Image& image, const Table& table) {
  Image made = empty_image(image, image.height, image.width);
  const uint8_t* from = image.row<uint8_t>(0);
  uint8_t* to = made.row<uint8_t>(0);
  for (int64_t i = 0, size = image.array->size(); i < size; ++i) to[i] = table[from[i]];
  return made;
}

Image looked_up(const Image& image, std::span<const Table> tables) {
  Image made = empty_image(image, image.height, image.width);
  const int64_t channels = image.channels;
  const uint8_t* from = image.row<uint8_t>(0);
  uint8_t* to = made.row<uint8_t>(0);
  for (int64_t i = 0, size = image.array->size(); i < size; i += channels)
    for (int64_t c = 0; c < channels; ++c) to[i + c] = tables[static_cast<size_t>(c)][from[i + c]];
  return made;
}

Image adjust_brightness(const Image& image, double factor) {
  const bool colours = image.dtype() == DType::kUInt8 || image.dtype() == DType::kFloat32;
  if (!colours) return each_value(image, [&](double value) { return value * factor; });
  return visit_colour(image, [&]<class T>() { return blend_with<T>(image, T(0), factor); });
}

Image adjust_contrast(const Image& image, double factor) {
  return visit_colour(image, [&]<class T>() { return blend_with<T>(image, mean_luma<T>(image), factor); });
}

Image adjust_saturation(const Image& image, double factor) {
  Image made = empty_image(image, image.height, image.width);
  visit_colour(image, [&]<class T>() {
    std::vector<T> greys(static_cast<size_t>(image.row_size()));
    for (int64_t y = 0; y < image.height; ++y)
      saturate_row<T>(image.row<T>(y), image.width, factor, greys.data(), made.row<T>(y));
  });
  return made;
}

Image adjust_sharpness(const Image& image, double factor) {
  Image made = copy_of(image);  // the outermost pixels have no neighbourhood and stay
  visit_colour(image, [&]<class T>() {
    using Sum = std::conditional_t<std::is_same_v<T, uint8_t>, uint16_t, T>;
    std::vector<Sum> sums(static_cast<size_t>(image.row_size()));
    for (int64_t y = 1; y + 1 < image.height; ++y)
      sharpen_row<T>(image, y, factor, sums.data(), made.row<T>(y));
  });
  return made;
}

Image adjust_hue(const Image& image, double turn) {
  Image made = empty_image(image, image.height, image.width);
  visit_colour(image, [&]<class T>() {
    Planes<Wide<T>> planes(image.width);
    for (int64_t y = 0; y < image.height; ++y)
      turn_row<T>(image.row<T>(y), image.width, turn, planes, made.row<T>(y));
  });
  return made;
}

Image adjust_gamma(const Image& image, double gamma, double gain) {
  if (image.dtype() == DType::kUInt8) {
    return looked_up(image, table_of([&](int value) {
                       const double light = gain * std::pow(value / 255.0, gamma);
                       return static_cast<uint8_t>(std::clamp(255.999 * light, 0.0, 255.0));
                     }));
  }
  return each_value(image, [&](double value) { return std::clamp(gain * std::pow(value, gamma), 0.0, 1.0); });
}

Image invert(const Image& image) {
  if (image.dtype() == DType::kUInt8) {
    Image made = empty_image(image, image.height, image.width);
    const uint8_t* from = image.row<uint8_t>(0);
    uint8_t* __restrict to = made.row<uint8_t>(0);
    for (int64_t i = 0, size = image.array->size(); i < size; ++i) to[i] = static_cast<uint8_t>(~from[i]);
    return made;
  }
  return each_value(image, [](double value) { return 255 - value; });
}

Image solarize(const Image& image, double low, double high) {
  return each_value(image, [&](double value) { return value >= low && value <= high ? 255 - value : value; });
}

Image posterize(const Image& image, int64_t bits) {
  const int mask = 0xff & ~((1 << (8 - bits)) - 1);
  return looked_up(image, table_of([&](int value) { return static_cast<uint8_t>(value & mask); }));
}

}  // namespace dyad::data
