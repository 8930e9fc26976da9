#include "base/error.h"
#include "ops/call.h"
#include "ops/neural/window_arguments.h"

namespace dyad {

namespace {

DYAD_USE(convolution, convolution_input_gradient, eye, fold, reshape, unfold);

struct Windows {
  Dims kernel;
  Dims dilation;
  Dims stride;
  Dims padding;
};

/// kernel_size, dilation, padding, stride from argument `first` on.
Windows windows(const Call& call, size_t first) {
  Windows w;
  w.kernel = per_dimension(call, first, "kernel_size", 2, 1);
  w.dilation = per_dimension(call, first + 1, "dilation", 2, 1);
  w.stride = per_dimension(call, first + 3, "stride", 2, 1);
  w.padding = padding_pairs(call, "pad", call.dims(first + 2), Dims{0, 0}, w.kernel, w.stride, w.dilation);
  return w;
}

/// One filter per kernel element that picks just this element.
Value picking_filters(const Call& call, const Windows& w, DType dtype) {
  const Dim elements = w.kernel[0] * w.kernel[1];
  return reshape(eye(call.builder(), elements.value(), nullptr, dtype),
                 Dims{elements, 1, w.kernel[0], w.kernel[1]});
}

}  // namespace

DYAD_OP(
    "unfold(input: Tensor, kernel_size: ints, dilation: ints=1, padding: ints=0, stride: ints=1) -> Tensor")
    .doc("Unfolding (im2col): the sliding windows of each image as columns.")
    .formula(
        "out[n, c · Kh · Kw + k · Kw + l, p] = padded[n, c, i · sh + k · dh, j · sw + l · dw], p-th window "
        "(i, j)")
    .arg("input", "floats of shape (N, C, H, W).")
    .arg("kernel_size", "(Kh, Kw).")
    .arg("dilation", "(dh, dw), distance of window elements.")
    .arg("padding", "zeros around the image.")
    .arg("stride", "(sh, sw), distance of windows.")
    .returns("Tensor of shape (N, C · Kh · Kw, number of windows).")
    .see("ops.fold, nn.Unfold")
    .method()
    .compose([](const Call& call) {
      const Value& x = call.value(0);
      if (x->rank() != 4)
        value_error(call.op(), ": input has shape ", x->shape, "; it must have 4 dimensions");
      const Windows w = windows(call, 1);
      const Value planes = reshape(x, Dims{x->shape[0] * x->shape[1], 1, x->shape[2], x->shape[3]});
      const Value found = convolution(planes, picking_filters(call, w, x->dtype), nullptr, w.stride,
                                      w.padding, w.dilation, 1);
      return reshape(found, Dims{x->shape[0], x->shape[1] * w.kernel[0] * w.kernel[1],
                                 found->shape[2] * found->shape[3]});
    })
    .numpy("ref.unfold(input, kernel_size, dilation, padding, stride)")
    .samples("call(T(2, 3, 5, 6), 3)", "call(T(2, 3, 5, 6), (2, 3), 2, 1, 2)")
    .rejects("ops.unfold(ones(2, 3), 2)", "ValueError", "unfold: input has shape (2, 3)");

DYAD_OP(
    "fold(input: Tensor, output_size: ints, kernel_size: ints, dilation: ints=1, padding: ints=0, "
    "stride: ints=1) -> Tensor")
    .doc("Folding (col2im): sums overlapping windows into images, the adjoint of `unfold`.")
    .formula(
        "out[n, c, h, w] = Σ input[n, c · Kh · Kw + k · Kw + l, p] over all p = (i, j), k, l with i · sh + k "
        "· dh − ph = h, j · sw + l · dw − pw = w")
    .arg("input", "floats of shape (N, C · Kh · Kw, number of windows).")
    .arg("output_size", "(H, W).")
    .arg("kernel_size", "(Kh, Kw).")
    .arg("dilation", "(dh, dw), distance of window elements.")
    .arg("padding", "(ph, pw), zeros that were around the image.")
    .arg("stride", "(sh, sw), distance of windows.")
    .returns("Tensor of shape (N, C, H, W).")
    .see("ops.unfold")
    .method()
    .compose([](const Call& call) {
      const Value& x = call.value(0);
      const Windows w = windows(call, 2);
      const Dims sizes = per_dimension(call, 1, "output_size", 2, 1);
      const Dim elements = w.kernel[0] * w.kernel[1];
      if (x->rank() != 3 || (x->shape[1].known() && x->shape[1].value() % elements.value() != 0)) {
        value_error(call.op(), ": input has shape ", x->shape, "; need (images, channels * ", elements,
                    ", positions)");
      }
      const Dim channels = floor_div(x->shape[1], elements);
      Dims positions;
      for (size_t s = 0; s < 2; ++s) {
        positions.push_back(window_count(sizes[s], w.padding[2 * s] + w.padding[2 * s + 1], w.kernel[s],
                                         w.stride[s], w.dilation[s]));
      }
      const Dim count = positions[0] * positions[1];
      if (count.known() && x->shape[2].known() && !(count == x->shape[2])) {
        value_error(call.op(), ": input has ", x->shape[2], " positions, but an output of ", sizes, " has ",
                    count);
      }
      const Value columns = reshape(x, Dims{x->shape[0] * channels, elements, positions[0], positions[1]});
      const Value planes = convolution_input_gradient(columns, picking_filters(call, w, x->dtype), sizes,
                                                      w.stride, w.padding, w.dilation, 1);
      return reshape(planes, Dims{x->shape[0], channels, sizes[0], sizes[1]});
    })
    .numpy("ref.fold(input, output_size, kernel_size, dilation, padding, stride)")
    .samples("call(T(2, 27, 12), (5, 6), 3)", "call(T(2, 18, 6), (5, 6), (2, 3), 2, 1, 2)")
    .rejects("ops.fold(ones(2, 3), 4, 2)", "ValueError", "fold: input has shape (2, 3)");

DYAD_OP("im2col(x: Tensor, ksizes: ints, strides: ints=1, dilations: ints=1, pads: ints=0) -> Tensor")
    .doc("Unfolding (im2col): the sliding windows of each image as columns, with the channels apart.")
    .formula("out[n, c, k · Kw + l, p] = padded[n, c, i · sh + k · dh, j · sw + l · dw], p-th window (i, j)")
    .arg("x", "floats of shape (N, C, H, W).")
    .arg("ksizes", "(Kh, Kw).")
    .arg("strides", "(sh, sw), distance of windows.")
    .arg("dilations", "(dh, dw), distance of window elements.")
    .arg("pads", "zeros around the image.")
    .returns("Tensor of shape (N, C, Kh · Kw, number of windows).")
    .see("ops.unfold")
    .hidden()
    .primitive("Im2Col(ksizes, strides=1, dilations=1, pads=0)(x)")
    .compose([](const Call& call) {
      const Value columns = unfold(call[0], call[1], call[3], call[4], call[2]);
      return reshape(columns, Dims{columns->shape[0], call.in(0).shape[1],
                                   floor_div(columns->shape[1], call.in(0).shape[1]), columns->shape[2]});
    })
    .numpy(
        "ref.unfold(x, ksizes, dilations, pads, strides).reshape(x.shape[0], x.shape[1], "
        "np.prod(np.broadcast_to("
        "ksizes, 2)), -1)")
    .samples("call(T(2, 3, 5, 6), 3)", "call(T(2, 3, 5, 6), (2, 3), 2, 2, 1)")
    .rejects("ops.Im2Col(2)(ones(2, 3))", "ValueError", "input has shape (2, 3)");

DYAD_OP(
    "col2im(x: Tensor, output_size: ints, kernel_size: ints, dilation: ints=1, padding: ints=0, stride: "
    "ints=1) "
    "-> Tensor")
    .doc("Folding (col2im): sums overlapping windows, with the channels apart, into images.")
    .formula(
        "out[n, c, h, w] = Σ x[n, c, k · Kw + l, p] over all p = (i, j), k, l with i · sh + k · dh − ph = h, "
        "j · sw + l · dw − pw = w")
    .arg("x", "floats of shape (N, C, Kh · Kw, number of windows).")
    .arg("output_size", "(H, W).")
    .arg("kernel_size", "(Kh, Kw).")
    .arg("dilation", "(dh, dw), distance of window elements.")
    .arg("padding", "(ph, pw), zeros that were around the image.")
    .arg("stride", "(sh, sw), distance of windows.")
    .returns("Tensor of shape (N, C, H, W).")
    .see("ops.fold")
    .hidden()
    .function("col2im(input_x:x, output_size, kernel_size, dilation, padding_value:padding, stride)")
    .method("col2im(output_size, kernel_size, dilation, padding_value:padding, stride)")
    .primitive("Col2Im(kernel_size, dilation=1, padding=0, stride=1)(x, output_size)")
    .compose([](const Call& call) {
      const Shape& s = call.in(0).shape;
      if (s.size() != 4)
        value_error(call.op(), ": x has shape ", s, "; need (images, channels, kernel elements, positions)");
      return fold(reshape(call.value(0), Dims{s[0], s[1] * s[2], s[3]}), call[1], call[2], call[3], call[4],
                  call[5]);
    })
    .numpy(
        "ref.fold(x.reshape(x.shape[0], -1, x.shape[3]), output_size, kernel_size, dilation, padding, "
        "stride)")
    .samples("call(T(2, 3, 9, 12), (5, 6), 3)", "call(T(2, 3, 6, 6), (5, 6), (2, 3), 2, 1, 2)")
    .rejects("ops.Col2Im(2)(ones(2, 3), (2, 2))", "ValueError", "x has shape (2, 3)");

}  // namespace dyad
