#pragma once

#include "data/image/image.h"

namespace dyad::data {

/// An array (height, width, channels) with its channels first; one of two dimensions as it is.
Tensor planes_of(const Tensor& array);

}  // namespace dyad::data
