// Convolutions of images whose channels lie innermost, and filters packed for them.

#include <cstring>

#include "kernels/cpu/channels_last.h"
#include "kernels/cpu/onednn_convolution_last.h"
#include "kernels/cpu/prepared.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

using onednn::Direction;
using onednn::Filters;
using onednn::LastConvolution;

/// (images, sizes…, channels) as (images, channels, sizes…).
Shape channels_first(const Shape& shape) {
  Shape moved{shape[0], shape.back()};
  for (size_t i = 1; i + 1 < shape.size(); ++i) moved.push_back(shape[i]);
  return moved;
}

Shape as_shape(const Dims& sizes) { return Shape(sizes.begin(), sizes.end()); }

LastConvolution convolution_with(const ConvolutionGeometry& geometry, const ValueImpl& weight) {
  const bool packed = weight.rank() == 1;
  return {geometry, packed ? Filters::kPacked : Filters::kPlain, weight.size()};
}

/// The shape of filters that may be packed.
Shape filters_of(const KernelCall& call) {
  constexpr size_t kFilters = 8;
  return call.has(kFilters) ? as_shape(call.dims(kFilters)) : call.in(1).shape;
}

}  // namespace

/// (input, weight, bias, stride, padding, dilation, groups, channels_last, filters)
void channels_last::convolution(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const ConvolutionGeometry geometry(channels_first(call.in(0).shape), channels_first(out.shape),
                                     filters_of(call), call, 3);
  const Prepared image(call.in(0), DType::kFloat32);
  const Prepared weight(call.in(1), DType::kFloat32);
  std::optional<Prepared> bias;
  if (call.has(2)) bias.emplace(call.in(2), DType::kFloat32);
  onednn::convolve_last(convolution_with(geometry, *weight), image->as<const float>(),
                        weight->as<const float>(), bias ? (*bias)->as<const float>() : nullptr,
                        out.as<float>());
}

/// (gradient, weight, sizes, stride, padding, dilation, groups, channels_last, filters)
void channels_last::convolution_input_gradient(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const ConvolutionGeometry geometry(channels_first(out.shape), channels_first(call.in(0).shape),
                                     filters_of(call), call, 3);
  const Prepared gradient(call.in(0), DType::kFloat32);
  const Prepared weight(call.in(1), DType::kFloat32);
  onednn::convolve_gradient_last(convolution_with(geometry, *weight), gradient->as<const float>(),
                                 weight->as<const float>(), out.as<float>());
}

/// (gradient, input, kernel, stride, padding, dilation, groups, channels_last)
void channels_last::convolution_weight_gradient(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  if (call.in(0).size() == 0) {
    std::memset(out.data, 0, static_cast<size_t>(out.size() * itemsize(out.dtype)));
    return;
  }
  const ConvolutionGeometry geometry(channels_first(call.in(1).shape), channels_first(call.in(0).shape),
                                     out.shape, call, 3);
  const Prepared gradient(call.in(0), DType::kFloat32);
  const Prepared image(call.in(1), DType::kFloat32);
  onednn::weight_gradient_last(geometry, gradient->as<const float>(), image->as<const float>(),
                               out.as<float>());
}

namespace {

/// (weight, room, images, positions, stride, padding, dilation, groups, backward)
void run_pack(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const ConvolutionGeometry geometry(channels_first(as_shape(call.dims(2))),
                                     channels_first(as_shape(call.dims(3))), call.in(0).shape, call, 4);
  const Prepared weight(call.in(0), DType::kFloat32);
  onednn::pack(geometry, call.flag(8) ? Direction::kBackward : Direction::kForward, weight->as<const float>(),
               out.as<float>(), out.size());
}

DYAD_CPU_KERNEL(pack_filters, run_pack);

}  // namespace

}  // namespace dyad::kernels
