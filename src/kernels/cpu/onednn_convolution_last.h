#pragma once

#include "kernels/cpu/convolution_geometry.h"

namespace dyad::kernels::onednn {

// Convolutions of float32 images whose channels lie innermost. Filters are given in row-major order or as
// `pack` left them, in memory of `room` elements; one that has no room for the library's format holds them in
// row-major order.

/// How the filters lie: in row-major order, or as `pack` left them.
enum class Filters : uint8_t { kPlain, kPacked };

/// Which primitive the filters are packed for.
enum class Direction : uint8_t { kForward, kBackward };
void pack(const ConvolutionGeometry& geometry, Direction direction, const float* weight, float* packed,
          int64_t room);

/// A convolution, and how its filters lie. The geometry is borrowed.
struct LastConvolution {
  const ConvolutionGeometry& geometry;
  Filters filters;
  int64_t room = 0;  ///< of packed filters
};

/// `bias` may be null.
void convolve_last(const LastConvolution& convolution, const float* image, const float* weight,
                   const float* bias, float* out);
/// The gradient of the image, from that of the result.
void convolve_gradient_last(const LastConvolution& convolution, const float* gradient, const float* weight,
                            float* image);
/// The gradient of the filters, in row-major order, from that of the result.
void weight_gradient_last(const ConvolutionGeometry& geometry, const float* gradient, const float* image,
                          float* weight);

}  // namespace dyad::kernels::onednn
