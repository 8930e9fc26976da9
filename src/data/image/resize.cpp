#include "data/image/resize.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "data/image/resize_taps.h"

namespace dyad::data {

namespace {

std::vector<int64_t> nearest_places(int64_t from, int64_t to) {
  std::vector<int64_t> places(static_cast<size_t>(to));
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  for (size_t i = 0; i < places.size(); ++i)
    places[i] = std::min(static_cast<int64_t>(std::floor(static_cast<double>(i) * scale)), from - 1);
  return places;
}

/// `kChannels` is 0 where the number is not known while compiling.
template <int kChannels, class T>
void pick_pixels(const T* from, const std::vector<int64_t>& columns, int64_t channels, T* to) {
  const int64_t count = kChannels ? kChannels : channels;
  for (const int64_t column : columns) {
    for (int64_t c = 0; c < count; ++c) to[c] = from[column * count + c];
    to += count;
  }
}

void resize_nearest(const Image& from, const Image& to) {
  const auto rows = nearest_places(from.height, to.height);
  const auto columns = nearest_places(from.width, to.width);
  visit_width(from.dtype(), [&](auto typed) {
    using T = typename decltype(typed)::type;
    const auto pick = from.channels == 3   ? pick_pixels<3, T>
                      : from.channels == 1 ? pick_pixels<1, T>
                                           : pick_pixels<0, T>;
    for (int64_t y = 0; y < to.height; ++y)
      pick(from.row<const T>(rows[static_cast<size_t>(y)]), columns, from.channels, to.row<T>(y));
  });
}

/// Adds a row times its weight.
template <class T, class Sum>
void add_row(const T* row, Sum weight, Sum* sums, int64_t count) {
  for (int64_t x = 0; x < count; ++x) sums[x] += weight * static_cast<Sum>(row[x]);
}

using Floats = float __attribute__((vector_size(16)));

void add_row(const float* row, float weight, float* sums, int64_t count) {
  constexpr int64_t kLanes = 4;
  int64_t x = 0;
  for (; x + kLanes <= count; x += kLanes) {
    Floats given;
    Floats sum;
    std::memcpy(&given, row + x, sizeof given);
    std::memcpy(&sum, sums + x, sizeof sum);
    sum += given * weight;
    std::memcpy(sums + x, &sum, sizeof sum);
  }
  for (; x < count; ++x) sums[x] += weight * row[x];
}

template <int kChannels, class T, class Sum>
void combine_pixels(const Sum* from, const Taps& taps, int64_t channels, T* to) {
  const int64_t count = kChannels ? kChannels : channels;
  for (int64_t x = 0; x < taps.size(); ++x, to += count) {
    const Sum* window = from + taps.first[static_cast<size_t>(x)] * count;
    const float* weights = taps.weights_of(x);
    for (int64_t c = 0; c < count; ++c) {
      Sum sum = 0;
      for (int64_t k = 0; k < taps.count; ++k) sum += static_cast<Sum>(weights[k]) * window[k * count + c];
      to[c] = to_element<T>(sum);
    }
  }
}

/// Down the columns first, then along the rows, in floats.
template <class T, class Sum>
void resize_elements(const Image& from, const Image& to, const Taps& down, const Taps& across) {
  std::vector<Sum> middle(static_cast<size_t>(from.row_size()));
  const auto combine = from.channels == 3   ? combine_pixels<3, T, Sum>
                       : from.channels == 1 ? combine_pixels<1, T, Sum>
                                            : combine_pixels<0, T, Sum>;
  for (int64_t y = 0; y < to.height; ++y) {
    std::fill(middle.begin(), middle.end(), Sum{0});
    const int64_t first = down.first[static_cast<size_t>(y)];
    for (int64_t k = 0; k < down.count; ++k)
      add_row(from.row<const T>(first + k), static_cast<Sum>(down.weights_of(y)[k]), middle.data(),
              from.row_size());
    combine(middle.data(), across, from.channels, to.row<T>(y));
  }
}

void resize_with_taps(std::string_view reader, const Image& from, const Image& to, const Taps& down,
                      const Taps& across) {
  if (from.dtype() == DType::kUInt8 || from.dtype() == DType::kBool)
    return resize_bytes(from, to, down, across);
  visit_real(reader, from.dtype(), [&](auto typed) {
    using T = typename decltype(typed)::type;
    if constexpr (std::is_same_v<T, double> || (std::is_integral_v<T> && sizeof(T) >= 4))
      resize_elements<T, double>(from, to, down, across);
    else
      resize_elements<T, float>(from, to, down, across);
  });
}

/// Pillow's way: along the rows first, with whole bytes in between.
void resize_as_pillow(const Image& from, const Image& to) {
  const Image middle = empty_image(from, from.height, to.width);
  resize_bytes(from, middle, unchanged_taps(from.height),
               taps_for(Interpolation::kPilCubic, from.width, to.width, false));
  resize_bytes(middle, to, taps_for(Interpolation::kPilCubic, from.height, to.height, false),
               unchanged_taps(to.width));
}

/// Halving by bilinear weights is halving by means.
Interpolation in_effect(const Image& image, int64_t height, int64_t width, Interpolation interpolation) {
  const bool halves = image.height == 2 * height && image.width == 2 * width;
  return interpolation == Interpolation::kBilinear && halves ? Interpolation::kArea : interpolation;
}

}  // namespace

Image resized(std::string_view reader, const Image& image, int64_t height, int64_t width,
              Interpolation interpolation) {
  require_real(reader, image);
  if (interpolation == Interpolation::kAntialias)
    type_error(reader, ": interpolation is Inter.ANTIALIAS, which is for PIL images; the input is an array");
  if (interpolation == Interpolation::kPilCubic) {
    require_dtype(reader, image, {DType::kUInt8});
    require_channels(reader, image, {3});
  }
  if (height == image.height && width == image.width) return image;
  const Image made = empty_image(image, height, width);
  interpolation = in_effect(image, height, width, interpolation);
  if (interpolation == Interpolation::kNearest) {
    resize_nearest(image, made);
  } else if (interpolation == Interpolation::kPilCubic) {
    resize_as_pillow(image, made);
  } else {
    const bool shrinks = image.height >= height && image.width >= width;
    resize_with_taps(reader, image, made, taps_for(interpolation, image.height, height, shrinks),
                     taps_for(interpolation, image.width, width, shrinks));
  }
  return made;
}

Size with_shorter_side(int64_t height, int64_t width, int64_t side) {
  const double ratio = static_cast<double>(height) / static_cast<double>(width);
  if (height < width)
    return {side, std::max<int64_t>(static_cast<int64_t>(static_cast<double>(side) / ratio), 1)};
  return {std::max<int64_t>(static_cast<int64_t>(static_cast<double>(side) * ratio), 1), side};
}

}  // namespace dyad::data
