#include "kernels/cpu/convolution_geometry.h"

#include <cstring>

#include "base/parallel.h"
#include "kernels/cpu/convert.h"

namespace dyad::kernels {

ConvolutionGeometry::ConvolutionGeometry(const Shape& image, const Shape& positions, const Shape& weight,
                                         const Arguments& args, size_t first) {
  const size_t spatial = image.size() - 2;
  const size_t missing = 3 - spatial;
  images = image[0].value();
  groups = args.integer(first + 3);
  out_channels = weight[0].value() / groups;
  in_channels = weight[1].value();
  for (size_t d = 0; d < 3; ++d) {
    in[d] = padded[d] = window.kernel[d] = window.out[d] = stride[d] = dilation[d] = 1;
    before[d] = 0;
    if (d < missing) continue;
    const size_t s = d - missing;
    stride[d] = args.dims(first)[s].value();
    dilation[d] = args.dims(first + 2)[s].value();
    in[d] = image[s + 2].value();
    before[d] = args.dims(first + 1)[2 * s].value();
    padded[d] = in[d] + before[d] + args.dims(first + 1)[2 * s + 1].value();
    window.kernel[d] = weight[s + 2].value();
    window.out[d] = positions[s + 2].value();
  }
  set_steps();
}

void ConvolutionGeometry::set_steps() {
  const int64_t step[3] = {padded[1] * padded[2], padded[2], 1};
  window.kernel_step[0] = padded_plane();
  for (size_t d = 0; d < 3; ++d) {
    window.kernel_step[d + 1] = dilation[d] * step[d];
    window.move_step[d] = stride[d] * step[d];
  }
}

ConvolutionGeometry ConvolutionGeometry::over_read_elements() const {
  ConvolutionGeometry reduced = *this;
  for (size_t d = 0; d < 3; ++d) {
    reduced.in[d] = reduced.padded[d] = window.out[d];
    reduced.stride[d] = 1;
  }
  reduced.set_steps();
  return reduced;
}

bool ConvolutionGeometry::has_padding() const {
  return in[0] != padded[0] || in[1] != padded[1] || in[2] != padded[2];
}

Borrowed ConvolutionGeometry::interior(const Scratch& image) const {
  const int64_t offset = (before[0] * padded[1] + before[1]) * padded[2] + before[2];
  return Borrowed(static_cast<char*>(image.data) + offset * itemsize(image.dtype), image.dtype, image_shape(),
                  image.strides);
}

PaddedImage::PaddedImage(const ValueImpl& image, const ConvolutionGeometry& geometry, DType computed) {
  plain_.emplace(image, computed);
  data_ = (*plain_)->data;
  if (!geometry.has_padding()) return;
  padded_.emplace(computed, geometry.padded_shape());
  const int64_t plane_bytes = geometry.padded_plane() * itemsize(computed);
  const int64_t planes = geometry.images * geometry.groups * geometry.in_channels;
  parallel_for(planes, 1 + (1 << 18) / std::max<int64_t>(1, plane_bytes), [&](int64_t begin, int64_t end) {
    std::memset(static_cast<char*>(padded_->data) + begin * plane_bytes, 0,
                static_cast<size_t>((end - begin) * plane_bytes));
  });
  const Shape full = geometry.image_shape();
  Borrowed target = geometry.interior(*padded_);
  copy(Borrowed(const_cast<void*>(data_), computed, full, contiguous_strides(full)), target);
  data_ = padded_->data;
}

}  // namespace dyad::kernels
