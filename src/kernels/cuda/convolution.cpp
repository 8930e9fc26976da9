// Convolutions and their gradients by cuDNN or by matrix products, which is all where cuDNN is missing.
// Images whose channels lie innermost are turned round before and behind; unequal padding is written out.

#include <algorithm>
#include <optional>

#include "kernels/cuda/column_convolution.h"
#include "kernels/cuda/cudnn.h"
#include "kernels/cuda/dnn_convolution.h"
#include "kernels/cuda/operand.h"
#include "runtime/kernel.h"

namespace dyad::cuda {

namespace {

using Direction = DnnConvolution::Direction;

/// Where the attributes are among the arguments of all three operators.
constexpr size_t kStride = 3;
constexpr size_t kPadding = 4;
constexpr size_t kDilation = 5;
constexpr size_t kGroups = 6;
constexpr size_t kChannelsLast = 7;
constexpr size_t kFilters = 8;

/// (images, sizes…, channels) as (images, channels, sizes…).
template <class List>
List channels_first(const List& list) {
  List moved{list[0], list.back()};
  for (size_t i = 1; i + 1 < list.size(); ++i) moved.push_back(list[i]);
  return moved;
}

/// A tensor seen with its channels first.
Value seen_channels_first(const ValueImpl& value, bool last) {
  return Value(new DeviceWindow(value.device, value.data, value.dtype,
                                last ? channels_first(value.shape) : value.shape,
                                last ? channels_first(value.strides) : value.strides));
}

/// The sizes of one call, and its padding, which may be unequal.
class Geometry {
 public:
  Geometry(const KernelCall& call, Direction direction, const Shape& image, const Shape& filters,
           const Shape& positions) {
    const size_t given = image.size() - 2;
    c_.direction = direction;
    c_.device = call.out().device.index;
    c_.dtype = call.out().dtype;
    c_.spatial = given == 3 ? 3 : 2;
    c_.groups = call.integer(kGroups);
    c_.images = image[0].value();
    c_.in_channels = image[1].value();
    c_.out_channels = positions[1].value();
    const size_t missing = static_cast<size_t>(c_.spatial) - given;
    for (size_t i = 0; i < 3; ++i) {
      const bool there = i >= missing && i - missing < given;
      const size_t s = there ? i - missing : 0;
      c_.in[i] = there ? image[s + 2].value() : 1;
      c_.kernel[i] = there ? filters[s + 2].value() : 1;
      c_.out[i] = there ? positions[s + 2].value() : 1;
      c_.stride[i] = there ? call.dims(kStride)[s].value() : 1;
      c_.dilation[i] = there ? call.dims(kDilation)[s].value() : 1;
      c_.padding[i] = there ? call.dims(kPadding)[2 * s].value() : 0;
      behind_[i] = there ? call.dims(kPadding)[2 * s + 1].value() : 0;
    }
  }

  /// Whether the library knows the padding as it is.
  bool even() const { return std::equal(behind_, behind_ + 3, c_.padding); }
  Shape image_shape() const { return {c_.images, c_.in_channels, c_.in[0], c_.in[1], c_.in[2]}; }
  Shape padded_shape() const {
    Shape shape = image_shape();
    for (size_t i = 0; i < 3; ++i) shape[i + 2] = shape[i + 2] + c_.padding[i] + behind_[i];
    return shape;
  }
  /// The first element of the image in a padded one, in elements.
  int64_t interior(const Strides& padded) const {
    return c_.padding[0] * padded[2] + c_.padding[1] * padded[3] + c_.padding[2] * padded[4];
  }
  const DnnConvolution& plain() const { return c_; }
  /// The convolution of the padded image.
  DnnConvolution padded() const {
    DnnConvolution c = c_;
    for (size_t i = 0; i < 3; ++i) {
      c.in[i] += c.padding[i] + behind_[i];
      c.padding[i] = 0;
    }
    return c;
  }

 private:
  DnnConvolution c_{};
  int64_t behind_[3];
};

/// The numbers of channels in all places of a result (images, channels, places).
void spread_over_channels(const DnnConvolution& c, const void* bias, char* to) {
  const Shape shape{c.images, c.out_channels, c.position_elements() / c.out_channels};
  move_elements(c.device, c.dtype, shape, bias, {0, 1, 0}, to, contiguous_strides(shape));
}

void run_convolved(const DnnConvolution& c, const DnnOperands& operands) {
  constexpr int64_t kMostScratch = int64_t{256} << 20;
  if (cudnn().available()) return run_by_cudnn(c, operands);
  if (operands.bias) spread_over_channels(c, operands.bias, operands.positions);
  run_by_products(c, operands, operands.bias != nullptr, kMostScratch);
}

/// Runs with the image as given, or with a padded copy of it (and back, where it is the result).
void run_padded(const Geometry& geometry, const ValueImpl& like, DnnOperands operands) {
  if (geometry.even()) return run_convolved(geometry.plain(), operands);
  const DnnConvolution c = geometry.padded();
  const DeviceScratch padded(like.device, like.dtype, geometry.padded_shape());
  const Shape image = geometry.image_shape();
  const Strides strides = contiguous_strides(image);
  char* inside = padded.as<char>() + geometry.interior(padded.strides) * itemsize(like.dtype);
  char* plain = operands.image;
  operands.image = padded.as<char>();
  if (c.direction == Direction::kInputGradient) {
    run_convolved(c, operands);
    move_elements(c.device, like.dtype, image, inside, padded.strides, plain, strides);
  } else {
    fill_zeros(c.device, padded.data, padded.size() * itemsize(like.dtype));
    move_elements(c.device, like.dtype, image, plain, strides, inside, padded.strides);
    run_convolved(c, operands);
  }
}

/// Filters that may be packed: on this device that is their elements one after another.
Shape filters_shape(const KernelCall& call) {
  return call.size() > kFilters && call.has(kFilters) ? call.dims(kFilters) : call.in(1).shape;
}

/// The result with its channels first: the memory of the result itself, or memory that is moved there.
class Target {
 public:
  Target(ValueImpl& out, bool last) : out_(out), seen_(seen_channels_first(out, last)) {
    if (!seen_->contiguous()) scratch_.emplace(out.device, out.dtype, seen_->shape);
  }
  const Shape& shape() const { return seen_->shape; }
  char* data() const { return scratch_ ? scratch_->as<char>() : out_.as<char>(); }
  void store() const {
    if (!scratch_) return;
    move_elements(out_.device.index, out_.dtype, seen_->shape, scratch_->data, scratch_->strides, out_.data,
                  seen_->strides);
  }

 private:
  ValueImpl& out_;
  Value seen_;
  std::optional<DeviceScratch> scratch_;
};

/// Every channel of the result is its bias, or zero: what a convolution of nothing gives.
void fill_with_bias(const ValueImpl& out, const Shape& shape, char* to, const Operand* bias) {
  const int64_t bytes = itemsize(out.dtype);
  fill_zeros(out.device.index, to, numel(shape) * bytes);
  if (!bias) return;
  Strides channel(shape.size(), 0);
  channel[1] = 1;
  move_elements(out.device.index, out.dtype, shape, (*bias)->data, channel, to, contiguous_strides(shape));
}

/// (input, weight, bias, stride, padding, dilation, groups, channels_last, filters)
void run_convolution(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const bool last = call.flag(kChannelsLast);
  const Operand image(seen_channels_first(call.in(0), last), out.dtype);
  const Operand weight(call.value(1), out.dtype);
  std::optional<Operand> bias;
  if (call.has(2)) bias.emplace(call.value(2), out.dtype);
  const Target target(out, last);
  if (image->size() == 0 || weight->size() == 0) {
    fill_with_bias(out, target.shape(), target.data(), bias ? &*bias : nullptr);
  } else {
    const Geometry geometry(call, Direction::kForward, image->shape, filters_shape(call), target.shape());
    run_padded(geometry, out,
               {image->as<char>(), weight->as<char>(), target.data(), bias ? (*bias)->data : nullptr});
  }
  target.store();
}

/// (gradient, weight, sizes, stride, padding, dilation, groups, channels_last, filters)
void run_input_gradient(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const bool last = call.flag(kChannelsLast);
  const Operand gradient(seen_channels_first(call.in(0), last), out.dtype);
  const Operand weight(call.value(1), out.dtype);
  const Target target(out, last);
  if (gradient->size() == 0 || weight->size() == 0) {
    fill_zeros(out.device.index, target.data(), out.size() * itemsize(out.dtype));
  } else {
    const Geometry geometry(call, Direction::kInputGradient, target.shape(), filters_shape(call),
                            gradient->shape);
    run_padded(geometry, out, {target.data(), weight->as<char>(), gradient->as<char>(), nullptr});
  }
  target.store();
}

/// (gradient, input, kernel, stride, padding, dilation, groups, channels_last)
void run_weight_gradient(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const bool last = call.flag(kChannelsLast);
  const Operand gradient(seen_channels_first(call.in(0), last), out.dtype);
  const Operand image(seen_channels_first(call.in(1), last), out.dtype);
  if (gradient->size() == 0 || image->size() == 0) {
    return fill_zeros(out.device.index, out.data, out.size() * itemsize(out.dtype));
  }
  const Geometry geometry(call, Direction::kWeightGradient, image->shape, out.shape, gradient->shape);
  run_padded(geometry, out, {image->as<char>(), out.as<char>(), gradient->as<char>(), nullptr});
}

/// (weight, room, …): on this device packed filters are the filters, at the beginning of the room.
void run_pack_filters(const KernelCall& call) {
  const ValueImpl& weight = call.in(0);
  if (call.out().size() == 0) return;
  move_elements(call.out().device.index, weight.dtype, weight.shape, weight.data, weight.strides,
                call.out().data, contiguous_strides(weight.shape));
}

DYAD_CUDA_KERNEL(convolution, run_convolution);
DYAD_CUDA_KERNEL(convolution_input_gradient, run_input_gradient);
DYAD_CUDA_KERNEL(convolution_weight_gradient, run_weight_gradient);
DYAD_CUDA_KERNEL(pack_filters, run_pack_filters);

}  // namespace

}  // namespace dyad::cuda
