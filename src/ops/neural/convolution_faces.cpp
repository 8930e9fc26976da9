#include "base/error.h"
#include "ops/call.h"
#include "ops/neural/window_arguments.h"

namespace dyad {

namespace {

DYAD_USE(add, convolution, convolution_input_gradient, permute, reshape);

bool differ(Dim a, Dim b) { return a.known() && b.known() && !(a == b); }

Value add_channel_bias(const Value& x, const Value& bias) {
  Shape shape(x->shape.size(), 1);
  shape[1] = bias->shape[0];
  return add(x, reshape(bias, shape));
}

/// input, weight, bias, stride, padding, output_padding, groups, dilation.
Value transposed_face(const Call& call, size_t spatial) {
  const Images images(call, spatial);
  const Value& x = images.batch;
  const Value& weight = call.value(1);
  const Dims stride = per_dimension(call, 3, "stride", spatial, 1);
  const Dims padding = per_dimension(call, 4, "padding", spatial, 0);
  const Dims extra = per_dimension(call, 5, "output_padding", spatial, 0);
  const Dims dilation = per_dimension(call, 7, "dilation", spatial, 1);
  Dims sizes, pairs;
  for (size_t s = 0; s < spatial; ++s) {
    const Dim limit = max(stride[s], dilation[s]);
    if (extra[s].value() >= limit.value()) {
      value_error(call.op(), ": output_padding is ", extra, "; it must be smaller than stride or dilation");
    }
    const Dim size = (x->shape[s + 2] - 1) * stride[s] - padding[s] * 2 +
                     dilation[s] * (weight->shape[s + 2] - 1) + 1 + extra[s];
    if (size.known() && size.value() < 1) {
      value_error(call.op(), ": the output of an input of shape ", x->shape, " would have size ", size,
                  "; it must be at least 1");
    }
    sizes.push_back(size);
    pairs.push_back(padding[s]);
    pairs.push_back(padding[s]);
  }
  Value result = convolution_input_gradient(x, weight, sizes, stride, pairs, dilation, call[6]);
  if (call.has(2)) {
    if (call.in(2).rank() != 1 || differ(call.in(2).shape[0], result->shape[1])) {
      value_error(call.op(), ": bias has shape ", call.in(2).shape, "; it must be (", result->shape[1], ",)");
    }
    result = add_channel_bias(result, call.value(2));
  }
  return images.as_given(result);
}

bool channels_last(const Call& call, size_t at, size_t spatial) {
  const char* first = spatial == 2 ? "NCHW" : "NCDHW";
  const char* last = spatial == 2 ? "NHWC" : "NDHWC";
  if (call.text(at) != first && call.text(at) != last) {
    value_error(call.op(), ": data_format is '", call.text(at), "'; accepted are '", first, "' and '", last,
                "'");
  }
  return call.text(at) == last;
}

void check_weight(const Call& call, size_t spatial, const Dims& kernel, size_t channel_axis) {
  const Shape& weight = call.in(1).shape;
  bool fits = weight.size() == spatial + 2 && !differ(weight[channel_axis], call.integer(2));
  for (size_t s = 0; fits && s < spatial; ++s) fits = !differ(weight[s + 2], kernel[s]);
  if (!fits) {
    value_error(call.op(), ": weight has shape ", weight, "; out_channel ", call.integer(2),
                " and kernel_size ", kernel, " were announced");
  }
}

/// Conv2D and Conv3D: input, weight, out_channel, kernel_size, mode, pad_mode, pad, stride, dilation, group,
/// data_format.
Value convolution_layer(const Call& call, size_t spatial) {
  const bool last = channels_last(call, 10, spatial);
  Value x = call.value(0);
  Value weight = call.value(1);
  if (x->shape.size() != spatial + 2 || weight->shape.size() != spatial + 2) {
    value_error(call.op(), ": input has shape ", x->shape, " and weight ", weight->shape, "; need ",
                spatial + 2, " dimensions each");
  }
  const Dims forward = spatial == 2 ? Dims{0, 3, 1, 2} : Dims{0, 4, 1, 2, 3};
  const Dims back = spatial == 2 ? Dims{0, 2, 3, 1} : Dims{0, 2, 3, 4, 1};
  if (last) {
    x = permute(x, forward);
    weight = permute(weight, forward);
  }
  const Dims kernel = per_dimension(call, 3, "kernel_size", spatial, 1);
  if (!last) check_weight(call, spatial, kernel, 0);
  const Dims stride = per_dimension(call, 7, "stride", spatial, 1);
  const Dims dilation = per_dimension(call, 8, "dilation", spatial, 1);
  const Dims sizes(x->shape.begin() + 2, x->shape.end());
  const Dims padding = padding_pairs(call, call.text(5), call.dims(6), sizes, kernel, stride, dilation);
  const Value result = convolution(x, weight, nullptr, stride, padding, dilation, call[9]);
  return last ? permute(result, back) : result;
}

}  // namespace

#define DYAD_CONV_TRANSPOSE(name, spatial)                                                                  \
  DYAD_OP(name                                                                                              \
          "(input: Tensor, weight: Tensor, bias: Tensor?=None, stride: ints=1, padding: ints=0, "           \
          "output_padding: ints=0, groups: int=1, dilation: ints=1) -> Tensor")                             \
      .doc(#spatial                                                                                         \
           "D transposed convolution: the gradient of a convolution with respect to its input. W′ = (W − "  \
           "1) · stride − "                                                                                 \
           "2 · padding + dilation · (K − 1) + output_padding + 1 per dimension.")                          \
      .formula(                                                                                             \
          "out[n, o, w] = bias[o] + Σ input[n, c, i] · weight[c, o, k] over c, i, k with i · stride + k · " \
          "dilation − padding = w")                                                                         \
      .arg("input", "floats of shape (N, C, …) or (C, …) with " #spatial " spatial dimensions.")            \
      .arg("weight", "filters, of shape (C, out / groups, K, …).")                                          \
      .arg("bias", "of shape (out,); None: 0.")                                                             \
      .arg("stride", "distance of windows in the result.")                                                  \
      .arg("padding", "removed from both ends of the result.")                                              \
      .arg("output_padding", "added to the end of the result, less than the stride or the dilation.")       \
      .arg("groups", "groups of channels.")                                                                 \
      .arg("dilation", "distance of filter elements.")                                                      \
      .returns("Tensor of shape (N, out, W′, …).")                                                          \
      .see("ops.conv" #spatial "d, nn.Conv" #spatial "dTranspose")                                          \
      .compose([](const Call& call) { return transposed_face(call, spatial); })                             \
      .numpy("ref.conv_transpose(input, weight, bias, stride, padding, output_padding, groups, dilation)")

DYAD_CONV_TRANSPOSE("conv_transpose1d", 1)
    .samples("call(T(2, 4, 5), T(4, 3, 3), T(3), stride=2, padding=1, output_padding=1)")
    .rejects("ops.conv_transpose1d(ones(1, 2, 3), ones(2, 1, 3), output_padding=1)", "ValueError",
             "output_padding is (1,)");
DYAD_CONV_TRANSPOSE("conv_transpose2d", 2)
    .samples("call(T(2, 4, 3, 4), T(4, 2, 3, 2), T(4), stride=2, padding=1, output_padding=1, groups=2)",
             "call(T(4, 3, 4), T(4, 2, 3, 2), dilation=2)")
    .rejects("ops.conv_transpose2d(ones(1, 2, 3, 3), ones(2, 1, 3))", "ValueError", "need 4 dimensions each");
DYAD_CONV_TRANSPOSE("conv_transpose3d", 3)
    .samples("call(T(1, 2, 2, 3, 2), T(2, 3, 2, 2, 2), T(3), stride=(1, 2, 1))")
    .rejects("ops.conv_transpose3d(ones(1, 2, 3, 3), ones(2, 1, 3))", "ValueError", "need 5 dimensions each");

DYAD_OP(
    "conv2d_layer(input: Tensor, weight: Tensor, out_channel: int, kernel_size: ints, mode: int=1, "
    "pad_mode: str='valid', pad: ints=0, stride: ints=1, dilation: ints=1, group: int=1, "
    "data_format: str='NCHW') -> Tensor")
    .doc("2D convolution (cross-correlation) with attributes given beforehand.")
    .formula(
        "out[n, o, i, j] = Σ over c, k, l of weight[o, c, k, l] · padded[n, c, i · sh + k · dh, j · sw + l · "
        "dw]")
    .arg("input", "floats of shape (N, C, H, W), or (N, H, W, C) with 'NHWC'.")
    .arg("weight", "filters, of shape (out, C / group, Kh, Kw), or (out, Kh, Kw, C / group) with 'NHWC'.")
    .arg("out_channel", "out, number of filters.")
    .arg("kernel_size", "(Kh, Kw).")
    .arg("mode", "1; the only mode.")
    .arg("pad_mode", "'valid', 'same' or 'pad'.")
    .arg("pad", "zeros around the image, for 'pad'.")
    .arg("stride", "(sh, sw), distance of windows.")
    .arg("dilation", "(dh, dw), distance of filter elements.")
    .arg("group", "groups of channels.")
    .arg("data_format", "'NCHW' or 'NHWC'.")
    .returns("Tensor of shape (N, out, H′, W′), or channels last.")
    .see("ops.conv2d, nn.Conv2d")
    .hidden()
    .primitive(
        "Conv2D(out_channel, kernel_size, mode=1, pad_mode='valid', pad=0, stride=1, dilation=1, group=1, "
        "data_format='NCHW')(x:input, weight)")
    .compose([](const Call& call) { return convolution_layer(call, 2); })
    .autocast(Autocast::kLow)
    .numpy("ref.conv(input, weight, None, stride, pad_mode, pad, dilation, group)")
    .samples("call(T(2, 3, 8, 7), T(4, 3, 3, 3), 4, 3, stride=2, pad_mode='same')",
             "call(T(2, 3, 8, 7), T(4, 3, 3, 3), 4, (3, 3), pad_mode='pad', pad=(1, 0, 2, 1))")
    .rejects("ops.Conv2D(5, 3)(ones(1, 3, 8, 8), ones(4, 3, 3, 3))", "ValueError", "out_channel 5");

DYAD_OP(
    "conv3d_layer(input: Tensor, weight: Tensor, out_channel: int, kernel_size: ints, mode: int=1, "
    "pad_mode: str='valid', pad: ints=0, stride: ints=1, dilation: ints=1, group: int=1, "
    "data_format: str='NCDHW') -> Tensor")
    .doc("3D convolution (cross-correlation) with attributes given beforehand.")
    .formula(
        "out[n, o, p] = Σ over c, k of weight[o, c, k] · padded[n, c, p · stride + k · dilation], p, k of 3 "
        "indices")
    .arg("input", "floats of shape (N, C, D, H, W).")
    .arg("weight", "filters, of shape (out, C / group, Kd, Kh, Kw).")
    .arg("out_channel", "out, number of filters.")
    .arg("kernel_size", "(Kd, Kh, Kw).")
    .arg("mode", "1; the only mode.")
    .arg("pad_mode", "'valid', 'same' or 'pad'.")
    .arg("pad", "zeros around the volume, for 'pad'.")
    .arg("stride", "distance of windows.")
    .arg("dilation", "distance of filter elements.")
    .arg("group", "groups of channels.")
    .arg("data_format", "'NCDHW' or 'NDHWC'.")
    .returns("Tensor of shape (N, out, D′, H′, W′).")
    .see("ops.conv3d, nn.Conv3d")
    .hidden()
    .primitive(
        "Conv3D(out_channel, kernel_size, mode=1, pad_mode='valid', pad=0, stride=1, dilation=1, group=1, "
        "data_format='NCDHW')(x:input, weight)")
    .compose([](const Call& call) { return convolution_layer(call, 3); })
    .autocast(Autocast::kLow)
    .numpy("ref.conv(input, weight, None, stride, pad_mode, pad, dilation, group)")
    .samples("call(T(1, 2, 4, 5, 4), T(3, 2, 3, 3, 3), 3, 3, stride=2, pad_mode='same')")
    .rejects("ops.Conv3D(5, 3)(ones(1, 3, 8, 8), ones(4, 3, 3, 3))", "ValueError", "need 5 dimensions each");

DYAD_OP(
    "conv2d_transpose_layer(input: Tensor, weight: Tensor, input_size: ints, out_channel: int, kernel_size: "
    "ints, "
    "pad_mode: str='valid', pad: ints=0, stride: ints=1, dilation: ints=1, group: int=1, "
    "pad_list: ints?=None, mode: int=1, data_format: str='NCHW') -> Tensor")
    .doc(
        "2D transposed convolution to an output of a given shape: the gradient of `conv2d` with respect to "
        "its input.")
    .formula(
        "out[n, c, h, w] = Σ weight[o, c, k, l] · input[n, o, i, j] over o, i, j, k, l with h = i · sh + k · "
        "dh − top, w = j · sw + l · dw − left")
    .arg("input", "floats of shape (N, out, H′, W′).")
    .arg("weight", "filters, of shape (out, C / group, Kh, Kw).")
    .arg("input_size", "(N, C, H, W), shape of the result.")
    .arg("out_channel", "number of filters.")
    .arg("kernel_size", "(Kh, Kw).")
    .arg("pad_mode", "'valid', 'same' or 'pad'.")
    .arg("pad", "zeros around the image, for 'pad'.")
    .arg("stride", "(sh, sw), distance of windows.")
    .arg("dilation", "(dh, dw), distance of filter elements.")
    .arg("group", "groups of channels.")
    .arg("pad_list", "takes the place of `pad` if it is given.")
    .arg("mode", "1; the only mode.")
    .arg("data_format", "'NCHW'.")
    .returns("Tensor of shape `input_size`.")
    .see("ops.conv2d, nn.Conv2dTranspose")
    .hidden()
    .primitive(
        "Conv2DTranspose(out_channel, kernel_size, pad_mode='valid', pad=0, pad_list=None, mode=1, stride=1, "
        "dilation=1, group=1, data_format='NCHW')(dout:input, weight, input_size)")
    .primitive(
        "Conv2DBackpropInput(out_channel, kernel_size, pad_mode='valid', pad=0, pad_list=None, mode=1, "
        "stride=1, dilation=1, group=1, data_format='NCHW')(dout:input, weight, input_size)")
    .compose([](const Call& call) {
      const Dims& shape = call.dims(2);
      if (shape.size() != 4) value_error(call.op(), ": input_size is ", shape, "; need 4 sizes");
      if (call.integer(11) != 1) value_error(call.op(), ": mode is ", call.integer(11), "; it must be 1");
      if (call.text(12) != "NCHW") {
        value_error(call.op(), ": data_format is '", call.text(12), "'; it must be 'NCHW'");
      }
      const Dims kernel = per_dimension(call, 4, "kernel_size", 2, 1);
      const Dims stride = per_dimension(call, 7, "stride", 2, 1);
      const Dims dilation = per_dimension(call, 8, "dilation", 2, 1);
      const Dims sizes(shape.begin() + 2, shape.end());
      const Dims& margins = call.dims(call.has(10) ? 10 : 6);
      const Dims padding = padding_pairs(call, call.text(5), margins, sizes, kernel, stride, dilation);
      return convolution_input_gradient(call[0], call[1], sizes, stride, padding, dilation, call[9]);
    })
    .autocast(Autocast::kLow)
    .numpy(
        "ref.convolution_input_gradient(input, weight, input_size[2:], ref.pair(stride), "
        "ref.padding_pairs(pad_mode, pad, input_size[2:], ref.pair(kernel_size), ref.pair(stride), "
        "ref.pair(dilation)), "
        "ref.pair(dilation), group)")
    .samples("call(T(2, 4, 4, 4), T(4, 3, 3, 3), (2, 3, 8, 8), 4, 3, pad_mode='same', stride=2)",
             "call(T(2, 4, 4, 4), T(4, 3, 3, 3), (2, 3, 6, 6), 4, 3)")
    .rejects("ops.Conv2DTranspose(4, 3)(ones(1, 4, 2, 2), ones(4, 3, 3, 3), (1, 3))", "ValueError",
             "need 4 sizes")
    .rejects(
        "ops.Conv2DTranspose(4, 3, data_format='NHWC')(ones(1, 4, 2, 2), ones(4, 3, 3, 3), (1, 3, 4, 4))",
        "ValueError", "it must be 'NCHW'");

DYAD_OP("bias_add(input_x: Tensor, bias: Tensor, data_format: str='NCHW') -> Tensor")
    .doc("Bias addition: one number per channel.")
    .formula("out[n, c, …] = input_x[n, c, …] + bias[c]", "data_format='NCHW' or 'NCDHW'")
    .formula("out[n, …, c] = input_x[n, …, c] + bias[c]", "data_format='NHWC'")
    .arg("input_x", "numbers, at least 2 dimensions.")
    .arg("bias", "of shape (C,).")
    .arg("data_format", "'NCHW', 'NCDHW' or 'NHWC'.")
    .returns("Tensor with the shape of `input_x`.")
    .see("ops.add")
    .function("bias_add(input_x, bias)")
    .primitive("BiasAdd(data_format='NCHW')(input_x, bias)")
    .compose([](const Call& call) {
      const Value& x = call.value(0);
      const bool last = call.text(2) == "NHWC";
      if (!last && call.text(2) != "NCHW" && call.text(2) != "NCDHW") {
        value_error(call.op(), ": data_format is '", call.text(2),
                    "'; accepted are 'NCHW', 'NCDHW' and 'NHWC'");
      }
      const Shape& bias = call.in(1).shape;
      if (x->rank() < 2 || bias.size() != 1 || differ(bias[0], last ? x->shape.back() : x->shape[1])) {
        value_error(call.op(), ": input_x has shape ", x->shape, " and bias ", bias,
                    "; need one number per channel");
      }
      return last ? add(x, call[1]) : add_channel_bias(x, call.value(1));
    })
    .autocast(Autocast::kWidest)
    .numpy("input_x + (bias if data_format == 'NHWC' else bias.reshape((1, -1) + (1,) * (input_x.ndim - 2)))")
    .samples("call(T(2, 3), T(3))", "call(T(2, 3, 4, 5), T(3), dtypes='real')",
             "call(T(2, 4, 3), T(3), 'NHWC')")
    .rejects("ops.bias_add(ones(2, 3), ones(2))", "ValueError",
             "bias_add: input_x has shape (2, 3) and bias (2,)");

}  // namespace dyad
