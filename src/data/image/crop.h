#pragma once

#include "data/image/codec.h"
#include "data/image/image.h"
#include "data/rows/random.h"

namespace dyad::data {

/// A copy of a window of the image, which must lie inside of it.
Image cropped(const Image& image, const Window& window);

/// A range of numbers.
struct Range {
  double low = 0;
  double high = 0;
};

/// A random window with a part of the area within `scale` and a ratio of width to height within `ratio`;
/// after so many attempts, the largest in the middle with a ratio that is allowed.
Window random_window(int64_t height, int64_t width, const Range& scale, const Range& ratio, int64_t attempts,
                     Random& random);

}  // namespace dyad::data
