#include "data/image/orientation.h"

#include <gtest/gtest.h>

#include <numeric>

namespace dyad::data {
namespace {

/// An image whose elements are all different for a while.
Image numbered(DType dtype, int64_t height, int64_t width, int64_t channels) {
  Image image = as_image(empty(dtype, {height, width, channels}));
  auto* bytes = image.array->as<uint8_t>();
  std::iota(bytes, bytes + image.array->size() * itemsize(dtype), uint8_t{1});
  return image;
}

template <class T>
void expect_mirrored(const Image& image) {
  const Image made = flipped_horizontally(image);
  for (int64_t y = 0; y < image.height; ++y)
    for (int64_t x = 0; x < image.width; ++x)
      for (int64_t c = 0; c < image.channels; ++c)
        ASSERT_EQ(made.pixel<T>(y, x)[c], image.pixel<T>(y, image.width - 1 - x)[c])
            << image.width << " wide, " << image.channels << " channels, at " << y << ", " << x << ", " << c;
}

TEST(Flip, EveryWidthIsMirrored) {
  for (int64_t width = 1; width <= 40; ++width)
    for (const int64_t channels : {1, 2, 3, 4}) {
      expect_mirrored<uint8_t>(numbered(DType::kUInt8, 3, width, channels));
      expect_mirrored<int32_t>(numbered(DType::kInt32, 2, width, channels));
    }
}

}  // namespace
}  // namespace dyad::data
