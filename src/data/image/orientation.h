#pragma once

#include "data/image/codec.h"
#include "data/image/image.h"

namespace dyad::data {

/// The image mirrored from left to right.
Image flipped_horizontally(const Image& image);
/// The image mirrored from top to bottom.
Image flipped_vertically(const Image& image);

/// How a camera was held, from 1 (upright) to 8, as the Exif part of a JPEG says; 1 where nothing does.
int orientation_of(Bytes bytes);
/// The image turned and mirrored so that it is upright.
Image upright(const Image& image, int orientation);

}  // namespace dyad::data
