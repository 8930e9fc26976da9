#pragma once

#include "data/image/resize_taps.h"

namespace dyad::data {

/// Resizes an image of bytes with fixed-point weights: down the columns first, then along the rows.
void resize_bytes(const Image& from, const Image& to, const Taps& down, const Taps& across);

}  // namespace dyad::data
