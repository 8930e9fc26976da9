#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "data/image/image.h"

namespace dyad::data {

/// Which colours a decoded image has: those of the file, grey (one channel), or RGB.
enum class Colors : uint8_t { kOfFile, kGray, kRgb };

/// A file in memory.
using Bytes = std::span<const uint8_t>;

/// A rectangle of pixels.
struct Window {
  int64_t top = 0;
  int64_t left = 0;
  int64_t height = 0;
  int64_t width = 0;
};

bool is_jpeg(Bytes bytes);
bool is_png(Bytes bytes);
bool is_bmp(Bytes bytes);

/// The image of a JPEG, PNG or BMP file, of shape (height, width, channels). What cannot be decoded is a
/// RuntimeError in the name of `reader` that says what is wrong.
Image decode_image(std::string_view reader, Bytes bytes, Colors colors);
Image decode_jpeg(std::string_view reader, Bytes bytes, Colors colors);
Image decode_png(std::string_view reader, Bytes bytes, Colors colors);
Image decode_bmp(std::string_view reader, Bytes bytes, Colors colors);

/// Decodes in RGB the part of a JPEG that `choose(height, width)` asks for: the same pixels as of the whole
/// image, and little more is decoded.
Image decode_jpeg_window(std::string_view reader, Bytes bytes,
                         const std::function<Window(int64_t height, int64_t width)>& choose);

/// The file of a uint8 image with one or three channels, as a one-dimensional array.
Tensor encode_jpeg(std::string_view reader, const Image& image, int64_t quality);
Tensor encode_png(std::string_view reader, const Image& image, int64_t compression_level);

/// An image for decoded pixels, of shape (height, width, channels); an absurd size is a RuntimeError.
Image decoded_image(std::string_view reader, DType dtype, int64_t height, int64_t width, int64_t channels);
/// RGB of each pixel as grey, with the weights of ITU-R BT.601.
Image gray_of_rgb(const Image& rgb);

/// The bytes of an item: an array of one dimension of one-byte numbers, or a text of bytes.
Bytes bytes_of(std::string_view reader, const Item& item);

}  // namespace dyad::data
