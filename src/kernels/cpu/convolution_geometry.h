#pragma once

#include <optional>

#include "kernels/cpu/convolution_task.h"
#include "kernels/cpu/prepared.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

/// Sizes of a convolution, with missing spatial dimensions filled up as 1: (depth, height, width).
struct ConvolutionGeometry {
  int64_t images;
  int64_t groups;
  int64_t in_channels;   ///< per group
  int64_t out_channels;  ///< per group
  int64_t in[3];
  int64_t padded[3];
  int64_t before[3];  ///< padding in front
  int64_t stride[3];
  int64_t dilation[3];
  KernelWindow window;

  /// `image` is the side that has the padding, `positions` the other; the attributes start at `first` among
  /// the arguments: stride, padding, dilation, groups.
  ConvolutionGeometry(const Shape& image, const Shape& positions, const Shape& weight, const Arguments& args,
                      size_t first);

  int64_t position_count() const { return window.out[0] * window.out[1] * window.out[2]; }
  int64_t kernel_elements() const { return window.kernel[0] * window.kernel[1] * window.kernel[2]; }
  int64_t padded_plane() const { return padded[0] * padded[1] * padded[2]; }
  bool has_padding() const;
  Shape padded_shape() const { return {images, groups * in_channels, padded[0], padded[1], padded[2]}; }
  Shape image_shape() const { return {images, groups * in_channels, in[0], in[1], in[2]}; }
  /// The same convolution over nothing but the elements that it reads; of a 1x1 kernel without padding.
  ConvolutionGeometry over_read_elements() const;
  /// The part of a padded image that is not padding.
  Borrowed interior(const Scratch& image) const;

 private:
  void set_steps();
};

/// The image of a convolution with its padding in memory, in the dtype of the computation.
class PaddedImage {
 public:
  PaddedImage(const ValueImpl& image, const ConvolutionGeometry& geometry, DType computed);
  const char* data() const { return static_cast<const char*>(data_); }

 private:
  std::optional<Scratch> padded_;
  std::optional<Prepared> plain_;
  const void* data_;
};

}  // namespace dyad::kernels
