#pragma once

#include "data/image/image.h"

namespace dyad::data {

/// The luma of an image of three channels, repeated over `channels` (1 or 3); an image of one channel is
/// repeated. The result has three dimensions.
Image grey_of(const Image& image, int64_t channels);

/// How the channels of one layout come from those of another: red, green and blue in either order, with or
/// without opacity, or grey alone.
struct Conversion {
  int64_t from;     ///< number of channels
  int64_t to;       ///< number of channels; 1 is grey
  bool swap;        ///< whether the first and the third colour change places
  bool blue_first;  ///< in the source, where the result is grey
};

/// A uint8, uint16 or float32 image with the channels of the other layout. Grey has two dimensions; opacity
/// that was not there is the largest value of an integer type, or 1.
Image converted(const Image& image, const Conversion& conversion);

}  // namespace dyad::data
