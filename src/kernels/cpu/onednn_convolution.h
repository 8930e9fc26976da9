#pragma once

#include "kernels/cpu/convolution_geometry.h"

namespace dyad::kernels::onednn {

/// Convolves float32 images that lie in memory without padding, in row-major order. `bias` may be null.
void convolve(const ConvolutionGeometry& geometry, const float* image, const float* weight, const float* bias,
              float* out);

}  // namespace dyad::kernels::onednn
