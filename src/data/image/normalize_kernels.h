#pragma once

#include <cstdint>
#include <vector>

#include "types/dtype.h"

namespace dyad::data {

/// What is done to each element: (x * scale + shift[c]) * factor[c] for channel c. One value stands for all
/// channels.
struct Affine {
  float scale = 1;
  std::vector<float> shift{0};
  std::vector<float> factor{1};

  float shift_of(int64_t c) const { return shift.size() == 1 ? shift[0] : shift[static_cast<size_t>(c)]; }
  float factor_of(int64_t c) const { return factor.size() == 1 ? factor[0] : factor[static_cast<size_t>(c)]; }
};

/// Pixels one after another, to floats in the same places.
void affine_pixels(DType dtype, const void* from, float* to, int64_t pixels, int64_t channels,
                   const Affine& affine);
/// Planes of one channel one after another, to floats in the same places.
void affine_planes(DType dtype, const void* from, float* to, int64_t pixels, int64_t channels,
                   const Affine& affine);
/// Pixels one after another, to planes of floats.
void affine_to_planes(DType dtype, const void* from, float* to, int64_t pixels, int64_t channels,
                      const Affine& affine);

}  // namespace dyad::data
