#pragma once

#include "kernels/cpu/convolution_geometry.h"

namespace dyad::kernels::onednn {

// Images, weights and results lie in memory without padding, in row-major order.

/// Whether the library computes this dtype, if only in another one, and is worth its call.
bool takes(const ConvolutionGeometry& geometry, DType dtype);
/// What it computes the dtype in: bfloat16 where the machine multiplies that itself, or float32.
DType convolution_dtype(DType dtype);

/// `bias` may be null. All operands are of the dtype, as are those of the gradients.
void convolve(const ConvolutionGeometry& geometry, DType dtype, const void* image, const void* weight,
              const void* bias, void* out);
/// The gradient of the image, from that of the result.
void convolve_gradient(const ConvolutionGeometry& geometry, DType dtype, const void* gradient,
                       const void* weight, void* image);
/// The gradient of the weight, from that of the result.
void weight_gradient(const ConvolutionGeometry& geometry, DType dtype, const void* gradient,
                     const void* image, void* weight);

}  // namespace dyad::kernels::onednn
