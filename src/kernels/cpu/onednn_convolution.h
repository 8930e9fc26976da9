#pragma once

#include "kernels/cpu/convolution_geometry.h"

namespace dyad::kernels::onednn {

// Float32 images, weights and results lie in memory without padding, in row-major order.

/// Whether the library is worth its call.
bool takes(const ConvolutionGeometry& geometry);

/// `bias` may be null.
void convolve(const ConvolutionGeometry& geometry, const float* image, const float* weight, const float* bias,
              float* out);
/// The gradient of the image, from that of the result.
void convolve_gradient(const ConvolutionGeometry& geometry, const float* gradient, const float* weight,
                       float* image);
/// The gradient of the weight, from that of the result.
void weight_gradient(const ConvolutionGeometry& geometry, const float* gradient, const float* image,
                     float* weight);

}  // namespace dyad::kernels::onednn
