#pragma once

#include <cstdint>

#include "types/dtype.h"

namespace dyad::cuda {

/// A convolution as cuDNN computes it: images and filters with their channels first, contiguous, over 2 or 3
/// spatial dimensions, with as much padding behind as in front.
struct DnnConvolution {
  enum class Direction : int { kForward, kInputGradient, kWeightGradient };
  Direction direction;
  int device;
  DType dtype;
  int spatial;  ///< 2 or 3
  int64_t groups;
  int64_t images;
  int64_t in_channels;   ///< of all groups
  int64_t out_channels;  ///< of all groups
  int64_t in[3];
  int64_t kernel[3];
  int64_t out[3];
  int64_t padding[3];
  int64_t stride[3];
  int64_t dilation[3];

  int64_t image_elements() const { return elements(in_channels, in); }
  int64_t position_elements() const { return elements(out_channels, out); }

 private:
  int64_t elements(int64_t channels, const int64_t* sizes) const {
    for (int i = 0; i < spatial; ++i) channels *= sizes[i];
    return channels;
  }
};

/// The side with the images, the filters and the side with the positions of the window. The direction tells
/// which of them is written.
struct DnnOperands {
  char* image;
  char* filters;
  char* positions;
  const void* bias;  ///< one number for each channel of the positions, or null; forward only
};

void run_by_cudnn(const DnnConvolution& convolution, const DnnOperands& operands);

}  // namespace dyad::cuda
