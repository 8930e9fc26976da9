#pragma once

#include "data/image/image.h"

namespace dyad::data {

/// How pixels of another size are made from those there are; the numbers are those of the front's `Inter`.
enum class Interpolation : uint8_t {
  kNearest = 0,
  kAntialias = 1,  ///< of PIL images only, by Pillow
  kBilinear = 2,
  kBicubic = 3,
  kArea = 4,      ///< the mean of what a pixel covers
  kPilCubic = 5,  ///< bicubic over all that a pixel covers, as Pillow does it
};

/// The image in another size.
Image resized(std::string_view reader, const Image& image, int64_t height, int64_t width,
              Interpolation interpolation);

/// Height and width with the smaller one `side` long and the aspect kept.
struct Size {
  int64_t height = 0;
  int64_t width = 0;
};
Size with_shorter_side(int64_t height, int64_t width, int64_t side);

}  // namespace dyad::data
