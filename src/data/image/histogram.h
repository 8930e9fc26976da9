#pragma once

#include <vector>

#include "data/image/image.h"

namespace dyad::data {

/// Stretches the values of each channel of a uint8 image to [0, 255]. `cutoff` is the percentage of the
/// darkest and of the lightest pixels that is left out of account, `ignore` are values that are.
Image auto_contrast(const Image& image, double cutoff, const std::vector<int64_t>& ignore);
/// Two usual ways to number the levels of an equalized image.
enum class Levels {
  kScaled,  ///< the running count without the lowest value, scaled to [0, 255] and rounded, as OpenCV does
  kSteps,   ///< the running count in whole steps, as Pillow does; an image of too few pixels stays as it is
};

/// Spreads the values of each channel of a uint8 image so that they are about equally frequent.
Image equalize(const Image& image, Levels levels);

}  // namespace dyad::data
