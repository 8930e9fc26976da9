#pragma once

#include <cstdint>

namespace dyad::cuda {

/// Images (images, channels, in…) and their columns: what each element of the window sees at each position.
/// Element (channel, k, image, place) of the columns lies at
/// (channel * window + k) * row_stride + image * image_stride + place.
struct Im2colParams {
  void* to;
  const void* from;
  int64_t images;
  int64_t channels;
  int64_t in[3];
  int64_t kernel[3];
  int64_t out[3];
  int64_t padding[3];
  int64_t stride[3];
  int64_t dilation[3];
  int64_t row_stride;
  int64_t image_stride;
};

}  // namespace dyad::cuda
