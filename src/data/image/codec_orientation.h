#pragma once

#include "data/image/codec.h"

namespace dyad::data {

/// How a camera was held, from 1 (upright) to 8, as the Exif part of a JPEG says; 1 where nothing does.
int orientation_of(Bytes bytes);
/// The image turned and mirrored so that it is upright.
Image upright(const Image& image, int orientation);

}  // namespace dyad::data
