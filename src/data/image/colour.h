#pragma once

#include <array>
#include <span>

#include "data/image/image.h"

namespace dyad::data {

/// What each of the values 0 to 255 becomes.
using Table = std::array<uint8_t, 256>;

/// A table made of a function of the value.
template <class F>
Table table_of(F&& f) {
  Table table;
  for (int value = 0; value < 256; ++value) table[static_cast<size_t>(value)] = f(value);
  return table;
}

/// A uint8 image with every value looked up in the table.
Image looked_up(const Image& image, const Table& table);
/// The same with a table per channel.
Image looked_up(const Image& image, std::span<const Table> tables);

/// A number as a byte: cut off at the ends of the range and of its fraction; NaN is 0. Without a branch.
inline uint8_t byte_of(float value) {
  const float low = value > 0 ? value : 0;
  return static_cast<uint8_t>(static_cast<int>(low < 255 ? low : 255));
}

/// Luma of a pixel (ITU-R 601), rounded.
inline uint8_t luma(const uint8_t* rgb) {
  return static_cast<uint8_t>((19595u * rgb[0] + 38470u * rgb[1] + 7471u * rgb[2] + 0x8000u) >> 16);
}
template <class T>
T luma(const T* rgb) {
  return static_cast<T>(0.299) * rgb[0] + static_cast<T>(0.587) * rgb[1] + static_cast<T>(0.114) * rgb[2];
}

// Changes of one image of uint8, float32 or float64 (bytes stay in [0, 255], floats are not cut off). Colours
// are in the order red, green, blue. A factor of 1 changes nothing.

Image adjust_brightness(const Image& image, double factor);  ///< 0 is black; any real element type
Image adjust_contrast(const Image& image, double factor);    ///< 0 is the mean of the luma everywhere
Image adjust_saturation(const Image& image, double factor);  ///< 0 is grey; three channels
Image adjust_sharpness(const Image& image, double factor);   ///< 0 is smoothed, 2 is sharpened
/// Turns the hue by this part of the circle; three channels.
Image adjust_hue(const Image& image, double turn);
/// gain * value ** gamma, with the range of values as [0, 1]; floats are cut off there.
Image adjust_gamma(const Image& image, double gamma, double gain);
/// 255 - value, for every element type.
Image invert(const Image& image);
/// 255 - value where the value is in [low, high], for every element type.
Image solarize(const Image& image, double low, double high);
/// Keeps the highest bits of a uint8 image.
Image posterize(const Image& image, int64_t bits);

/// The types of elements that the changes of colour take.
void require_bytes_or_floats(std::string_view reader, const Image& image);

}  // namespace dyad::data
