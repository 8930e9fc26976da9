#pragma once

#include "kernels/cuda/dnn_convolution.h"

namespace dyad::cuda {

/// Bytes of scratch that `run_by_products` takes for all images at once.
int64_t product_scratch(const DnnConvolution& convolution);

/// A convolution, without its bias, as matrix products: of the filters and the columns of the images, which
/// are the images themselves where the window is one element and moves by one. With `accumulate` it is added
/// to the result, which images of a data gradient cannot be. Images are taken so many at a time as fit into
/// `most_scratch` bytes, at least one.
void run_by_products(const DnnConvolution& convolution, const DnnOperands& operands, bool accumulate,
                     int64_t most_scratch);

}  // namespace dyad::cuda
