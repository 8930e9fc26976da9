#pragma once

#include "data/image/image.h"

namespace dyad::data {

/// The image mirrored from left to right.
Image flipped_horizontally(const Image& image);
/// The image mirrored from top to bottom.
Image flipped_vertically(const Image& image);

}  // namespace dyad::data
