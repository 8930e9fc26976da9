#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/neural/window_arguments.h"

// Convolution over windows whose points are moved by offsets.

namespace dyad {

namespace {

DYAD_USE(arange, concat, convolution, deformable_offsets, expand_dims, mul, permute, reshape, sample_grid,
         select_view);

struct Windows {
  Dims kernel;
  Dims stride;
  Dims padding;  ///< top, bottom, left, right
  Dims dilation;
};

/// strides, padding, kernel and dilations from argument `first` on. Of four strides or dilations the outer
/// two belong to images and channels where those are last.
Windows windows(const Call& call, size_t first, bool channels_last) {
  auto spatial = [&](size_t argument, std::string_view name) {
    const Dims& given = call.dims(argument);
    if (channels_last && given.size() == 4) return Dims{given[1], given[2]};
    return per_dimension(call, argument, name, 2, 1);
  };
  Windows w;
  w.stride = spatial(first, "strides");
  w.padding = call.dims(first + 1);
  w.kernel = per_dimension(call, first + 2, "kernel size", 2, 1);
  w.dilation = spatial(first + 3, "dilations");
  if (w.padding.size() != 4)
    value_error(call.op(), ": padding is ", w.padding, "; need (top, bottom, left, right)");
  return w;
}

/// The offsets of one direction, (images, groups, points of a window, rows, columns), plus the positions
/// of the points of the windows without them, as coordinates of a grid over `size` pixels.
Value places(const Value& offsets, const Windows& w, size_t axis, Dim size) {
  const int64_t points[] = {w.kernel[0].value(), w.kernel[1].value()};
  auto counted = [&](Dim count) { return arange(offsets->builder(), 0, count.value(), 1, offsets->dtype); };
  Dims inside{1, 1, 1, 1, 1, 1};
  inside[2 + axis] = points[axis];
  Dims outside{1, 1, 1, 1, 1, 1};
  outside[4 + axis] = -1;
  const Value regular = reshape(mul(counted(w.kernel[axis]), w.dilation[axis].value()), inside) +
                        reshape(mul(counted(offsets->shape[3 + axis]), w.stride[axis].value()), outside) -
                        w.padding[2 * axis].value();
  const Shape& s = offsets->shape;
  const Value at = reshape(offsets, Dims{s[0], s[1], points[0], points[1], s[3], s[4]}) + regular;
  const double pixels = static_cast<double>(size.value());
  return mul(at, 2 / pixels) + (1 / pixels - 1);
}

/// Values by window and point as an image in which the windows are side by side.
Value side_by_side(const Value& by_point, const Windows& w) {
  const Shape& s = by_point->shape;  // images, channels, kernel rows, kernel columns, rows, columns
  return reshape(permute(by_point, Dims{0, 1, 4, 2, 5, 3}),
                 Dims{s[0], s[1], s[4] * w.kernel[0], s[5] * w.kernel[1]});
}

Value sample(const Call& call) {
  infer::require_rank(call, 0, 4, "x");
  infer::require_rank(call, 1, 4, "offsets");
  const bool channels_last = call.text(6) == "NHWC";
  if (call.text(6) != "NCHW" && !channels_last)
    value_error(call.op(), ": data_format is '", call.text(6), "'; accepted are 'NCHW' and 'NHWC'");
  auto channels_second = [&](const Value& v) { return channels_last ? permute(v, Dims{0, 3, 1, 2}) : v; };
  const Value x = channels_second(call.value(0));
  const Value offsets = channels_second(call.value(1));
  const Windows w = windows(call, 2, channels_last);
  const int64_t groups = call.integer(7);
  const int64_t parts = call.flag(8) ? 3 : 2;
  const Dim points = w.kernel[0] * w.kernel[1];
  const Shape& shape = x->shape;
  if (groups < 1 || (shape[1].known() && shape[1].value() % groups != 0))
    value_error(call.op(), ": deformable_groups is ", groups, "; it must divide the ", shape[1],
                " channels of x");
  if (offsets->shape[1].known() && !(offsets->shape[1] == points * Dim(groups * parts))) {
    value_error(call.op(), ": offsets has ", offsets->shape[1], " channels; need ", parts * groups, " * ",
                points, " (", parts, " * deformable_groups * points of the kernel)");
  }
  for (size_t axis = 0; axis < 2; ++axis) {
    const Dim count = window_count(shape[2 + axis], w.padding[2 * axis] + w.padding[2 * axis + 1],
                                   w.kernel[axis], w.stride[axis], w.dilation[axis]);
    if (count.known() && offsets->shape[2 + axis].known() && !(count == offsets->shape[2 + axis]))
      value_error(call.op(), ": offsets has shape ", offsets->shape, "; x has ", count,
                  " windows along dimension ", 2 + axis);
  }
  const Dim rows = offsets->shape[2];
  const Dim columns = offsets->shape[3];
  const Value apart = reshape(offsets, Dims{shape[0], parts, groups, points, rows, columns});
  auto part = [&](int64_t i) { return select_view(apart, 1, i); };
  const Value across = side_by_side(places(part(0), w, 1, shape[3]), w);
  const Value down = side_by_side(places(part(1), w, 0, shape[2]), w);
  const Dims size{rows * w.kernel[0], columns * w.kernel[1]};
  const Dims flat{shape[0] * Dim(groups), size[0], size[1], 1};
  const Value grid = concat(ValueList{reshape(across, flat), reshape(down, flat)}, 3);
  const Dim channels = floor_div(shape[1], groups);
  Value found = sample_grid(reshape(x, Dims{shape[0] * Dim(groups), channels, shape[2], shape[3]}), grid,
                            "bilinear", "zeros", false);
  if (parts == 3) {
    const Dims by_point{shape[0], groups, w.kernel[0], w.kernel[1], rows, columns};
    const Value weight = side_by_side(reshape(part(2), by_point), w);
    found = found * reshape(weight, Dims{shape[0] * Dim(groups), 1, size[0], size[1]});
  }
  const Value result = reshape(found, Dims{shape[0], shape[1], size[0], size[1]});
  return channels_last ? permute(result, Dims{0, 2, 3, 1}) : result;
}

}  // namespace

DYAD_OP(
    "deformable_offsets(x: Tensor, offsets: Tensor, strides: ints, pads: ints, ksize: ints, dilations: "
    "ints=(1, 1, 1, 1), data_format: str='NCHW', deformable_groups: int=1, modulated: bool=True) -> Tensor")
    .doc(
        "Deformable sampling: the points of the windows of a convolution, each shifted by its offset and "
        "read with bilinear interpolation, with zeros outside.")
    .formula(
        "out[n, c, i · Kh + k, j · Kw + l] = factor · x(i · sh − top + k · dh + Δy, j · sw − left + l · dw + "
        "Δx)")
    .arg("x", "floats of shape (N, C, H, W).")
    .arg("offsets",
         "Δx, Δy and, if modulated, factors, as channels: of shape (N, 3 · deformable_groups · Kh · Kw, H′, "
         "W′).")
    .arg("strides", "(1, 1, sh, sw).")
    .arg("pads", "(top, bottom, left, right).")
    .arg("ksize", "(Kh, Kw).")
    .arg("dilations", "(1, 1, dh, dw).")
    .arg("data_format", "'NCHW' or 'NHWC'.")
    .arg("deformable_groups", "groups of channels with offsets of their own.")
    .arg("modulated", "whether `offsets` has a factor for each point.")
    .returns("Tensor of shape (N, C, H′ · Kh, W′ · Kw).")
    .see("ops.deformable_conv2d")
    .reference("arXiv:1703.06211")
    .hidden()
    .primitive(
        "DeformableOffsets(strides, pads, ksize, dilations=(1, 1, 1, 1), data_format='NCHW', "
        "deformable_groups=1, modulated=True)(x, offsets)")
    .compose_wide([](const Call& call) { return sample(call); })
    .numpy(
        "ref.deformable_offsets(x, offsets, strides, pads, ksize, dilations, deformable_groups, modulated) "
        "if "
        "data_format == 'NCHW' else ref.deformable_offsets(x.transpose(0, 3, 1, 2), offsets.transpose(0, 3, "
        "1, 2), strides[1:3] * 2, pads, ksize, dilations[1:3] * 2, deformable_groups, "
        "modulated).transpose(0, "
        "2, 3, 1)")
    .samples(
        "call(T(2, 4, 5, 6), T(2, 24, 4, 5, lo=0.1, hi=0.4), (1, 1, 1, 1), (0, 0, 0, 0), (2, 2), "
        "deformable_groups=2)",
        "call(T(1, 2, 6, 5), T(1, 12, 3, 3, lo=0.1, hi=0.4), (1, 1, 2, 2), (1, 1, 1, 1), (3, 2), "
        "modulated=False)",
        "call(T(1, 1, 7, 6), T(1, 12, 3, 4, lo=0.1, hi=0.4), (1, 1, 2, 1), (0, 0, 0, 0), (2, 2), (1, 1, 1, "
        "2))",
        "call(T(1, 7, 6, 2), T(1, 3, 5, 12, lo=0.1, hi=0.4), (1, 2, 1, 1), (0, 0, 0, 0), (2, 2), "
        "data_format='NHWC')")
    .rejects("ops.DeformableOffsets((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))(ones(1, 1, 4, 4), ones(1, 8, 3, 3))",
             "ValueError", "offsets has 8 channels; need 3 * 4")
    .rejects("ops.DeformableOffsets((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))(ones(1, 1, 4, 4), ones(1, 12, 4, 3))",
             "ValueError", "x has 3 windows along dimension 2");

DYAD_OP(
    "deformable_conv2d(x: Tensor, weight: Tensor, offsets: Tensor, kernel_size: ints, strides: ints, "
    "padding: "
    "ints, bias: Tensor?=None, dilations: ints=(1, 1, 1, 1), groups: int=1, deformable_groups: int=1, "
    "modulated: bool=True) -> Tensor")
    .doc("Deformable 2D convolution: filters read points that are shifted by offsets.")
    .formula(
        "out[n, o, i, j] = bias[o] + Σ weight[o, c, k, l] · factor · x[n, c](i · sh − top + k · dh + Δy, j · "
        "sw − left + l · dw + Δx)")
    .arg("x", "floats of shape (N, C, H, W).")
    .arg("weight", "filters, of shape (out, C / groups, Kh, Kw).")
    .arg("offsets",
         "Δx, Δy and, if modulated, factors, as channels: of shape (N, 3 · deformable_groups · Kh · Kw, H′, "
         "W′).")
    .arg("kernel_size", "(Kh, Kw).")
    .arg("strides", "(1, 1, sh, sw).")
    .arg("padding", "(top, bottom, left, right).")
    .arg("bias", "of shape (out,); None: 0.")
    .arg("dilations", "(1, 1, dh, dw).")
    .arg("groups", "groups of channels.")
    .arg("deformable_groups", "groups of channels with offsets of their own.")
    .arg("modulated", "whether `offsets` has a factor for each point.")
    .returns("Tensor of shape (N, out, H′, W′).")
    .see("ops.conv2d")
    .reference("arXiv:1811.11168")
    .compose([](const Call& call) {
      const Value points =
          deformable_offsets(call[0], call[2], call[4], call[5], call[3], call[7], "NCHW", call[9], call[10]);
      const Dims kernel = per_dimension(call, 3, "kernel_size", 2, 1);
      return convolution(points, call[1], call.has(6) ? Arg(call.value(6)) : Arg(), kernel, Dims{0, 0, 0, 0},
                         Dims{1, 1}, call[8]);
    })
    .autocast(Autocast::kWidest)
    .numpy("ref.deformable_conv2d(x, weight, offsets, kernel_size, strides, padding, bias, dilations)")
    .samples(
        "call(T(2, 3, 5, 5), T(4, 3, 2, 2), T(2, 12, 4, 4, lo=0.1, hi=0.4), (2, 2), (1, 1, 1, 1), (0, 0, 0, "
        "0))",
        "call(T(1, 2, 5, 5), T(2, 2, 3, 3), T(1, 27, 3, 3, lo=0.1, hi=0.4), (3, 3), (1, 1, 2, 2), (1, 1, 1, "
        "1), T(2))")
    .rejects(
        "ops.deformable_conv2d(ones(1, 1, 4, 4), ones(1, 1, 2, 2), ones(1, 12, 3, 3), (2, 2), (1, 1, 1, 1), "
        "(0, "
        "0))",
        "ValueError", "padding is (0, 0); need (top, bottom, left, right)");

}  // namespace dyad
