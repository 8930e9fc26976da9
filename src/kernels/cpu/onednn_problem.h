#pragma once

#include "kernels/cpu/convolution_geometry.h"
#include "kernels/cpu/onednn.h"

namespace dyad::kernels::onednn {

/// In row-major order.
dnnl::memory::desc plain(const dnnl::memory::dims& sizes, DType dtype = DType::kFloat32);
/// float32 whose second dimension, the channels, lies innermost in memory.
dnnl::memory::desc channels_last(const dnnl::memory::dims& sizes);
/// In whatever order the primitive likes best.
dnnl::memory::desc any(const dnnl::memory::dims& sizes, DType dtype = DType::kFloat32);

/// A convolution in the library's terms: planar where there is no depth, volumetric otherwise.
struct Problem {
  using Dims = dnnl::memory::dims;
  using Description = dnnl::memory::desc;

  DType dtype;  ///< of all operands: float32 or bfloat16
  Dims image, weight, bias, out, stride, dilation, before, after;
  bool grouped;
  bool dot;                ///< a 1x1 kernel without padding
  bool skips;              ///< strides leave positions out
  bool long_plane;         ///< long enough for matrix products that take it where it lies
  LibraryThreads threads;  ///< how many make and run its primitives, while it lives

  explicit Problem(const ConvolutionGeometry& geometry, DType dtype = DType::kFloat32);

  Key key(std::string_view kind) const;
  // The image lies as `from` says and the result as `to` does; so do their gradients.
  dnnl::convolution_forward::primitive_desc forward(const Description& from, const Description& to,
                                                    bool has_bias) const;
  dnnl::convolution_backward_data::primitive_desc image_gradient(const Description& from,
                                                                 const Description& to) const;
  dnnl::convolution_backward_weights::primitive_desc weight_gradient(const Description& from,
                                                                     const Description& to) const;
};

}  // namespace dyad::kernels::onednn
