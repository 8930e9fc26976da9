#include "base/error.h"
#include "ops/call.h"
#include "ops/neural/window_arguments.h"
#include "ops/reduce/root.h"

namespace dyad {

namespace {

DYAD_USE(adaptive_average_pool, adaptive_max_pool, cast, average_pool, max_pool, max_pool_with_places,
         permute, pow, unpool);

/// Kernel, stride and padding of a call, one number per dimension; a missing stride is the kernel.
struct Windows {
  Dims kernel;
  Dims stride;
  Dims padding;
};

Windows windows(const Call& call, size_t spatial, size_t kernel, size_t stride, const std::string& mode,
                const Dims& padding, const Dims& dilation) {
  Windows w;
  w.kernel = per_dimension(call, kernel, "kernel_size", spatial, 1);
  w.stride = call.has(stride) ? per_dimension(call, stride, "stride", spatial, 1) : w.kernel;
  const Shape& in = call.in(0).shape;
  if (in.size() != spatial + 1 && in.size() != spatial + 2) {
    value_error(call.op(), ": input has shape ", in, "; need ", spatial + 1, " or ", spatial + 2,
                " dimensions");
  }
  w.padding =
      padding_pairs(call, mode, padding, Dims(in.end() - spatial, in.end()), w.kernel, w.stride, dilation);
  return w;
}

/// input, kernel_size, stride, padding, dilation, ceil_mode, return_indices.
ValueList max_face(const Call& call, size_t spatial) {
  const Dims dilation = per_dimension(call, 4, "dilation", spatial, 1);
  const Windows w = windows(call, spatial, 1, 2, "pad", call.dims(3), dilation);
  if (call.flag(6))
    return max_pool_with_places.all(call[0], w.kernel, w.stride, w.padding, dilation, call[5]);
  return {max_pool(call[0], w.kernel, w.stride, w.padding, dilation, call[5])};
}

/// input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override.
Value average_face(const Call& call, size_t spatial) {
  const Windows w = windows(call, spatial, 1, 2, "pad", call.dims(3), Dims(spatial, 1));
  if (call.integer(6, 0) < 0) {
    value_error(call.op(), ": divisor_override is ", call.integer(6), "; it must not be negative");
  }
  return average_pool(call[0], w.kernel, w.stride, w.padding, call[4], call[5], call.integer(6, 0));
}

bool channels_last(const Call& call, size_t at, size_t spatial) {
  const std::string& format = call.text(at);
  const char* first = spatial == 2 ? "NCHW" : "NCDHW";
  const char* last = spatial == 2 ? "NHWC" : "NDHWC";
  if (format != first && format != last) {
    value_error(call.op(), ": data_format is '", format, "'; accepted are '", first, "' and '", last, "'");
  }
  if (call.in(0).shape.size() != spatial + 2) {
    value_error(call.op(), ": input has shape ", call.in(0).shape, "; need ", spatial + 2, " dimensions");
  }
  return format == last;
}

Value to_channels_first(const Value& x) {
  return x->rank() == 4 ? permute(x, Dims{0, 3, 1, 2}) : permute(x, Dims{0, 4, 1, 2, 3});
}
Value to_channels_last(const Value& x) {
  return x->rank() == 4 ? permute(x, Dims{0, 2, 3, 1}) : permute(x, Dims{0, 2, 3, 4, 1});
}

/// The Primitive classes: input, kernel_size, strides, pad_mode, pad_list, ceil_mode, data_format and, for
/// the mean, count_include_pad and divisor_override.
Value pool_layer(const Call& call, size_t spatial, bool mean) {
  const bool last = channels_last(call, 6, spatial);
  const Value x = last ? to_channels_first(call.value(0)) : call.value(0);
  const Dims kernel = per_dimension(call, 1, "kernel_size", spatial, 1);
  const Dims stride = per_dimension(call, 2, "strides", spatial, 1);
  const Dims sizes(x->shape.end() - spatial, x->shape.end());
  const Dims ones(spatial, 1);
  const Dims padding = padding_pairs(call, call.text(3), call.dims(4), sizes, kernel, stride, ones);
  const bool ceil = call.has(5) && call.flag(5);
  // Padding that 'same' adds is not part of a mean in two dimensions.
  const bool same = call.text(3).front() == 's' || call.text(3).front() == 'S';
  const bool counts = mean && call.flag(7) && (spatial == 3 || !same);
  const Value result = mean ? average_pool(x, kernel, stride, padding, ceil, counts, call.integer(8))
                            : max_pool(x, kernel, stride, padding, ones, ceil);
  return last ? to_channels_last(result) : result;
}

Dims output_sizes(const Call& call, size_t spatial) {
  Dims wanted = per_dimension(call, 1, "output_size", spatial, -1);
  const Shape& in = call.in(0).shape;
  if (in.size() != spatial + 1 && in.size() != spatial + 2) {
    value_error(call.op(), ": input has shape ", in, "; need ", spatial + 1, " or ", spatial + 2,
                " dimensions");
  }
  for (size_t s = 0; s < spatial; ++s) {
    if (wanted[s] == Dim(-1)) wanted[s] = in[in.size() - spatial + s];
  }
  return wanted;
}

ValueList adaptive_max_face(const Call& call, size_t spatial) {
  const DType dtype = call.in(0).dtype;
  // Integers of up to 32 bits are compared as float64, which holds them all.
  const bool exact = is_int(dtype) && itemsize(dtype) <= 4;
  const Value input = exact ? cast(call.value(0), DType::kFloat64) : call.value(0);
  ValueList found = adaptive_max_pool.all(input, output_sizes(call, spatial));
  if (exact) found[0] = cast(found[0], dtype);
  if (!call.flag(2)) found.pop_back();
  return found;
}

/// x, norm_type, kernel_size, stride, ceil_mode: the p-norm of each window.
Value norm_face(const Call& call, size_t spatial) {
  const double p = call.real(1);
  if (!(p != 0)) value_error(call.op(), ": norm_type is ", p, "; it must not be 0");
  const Windows w = windows(call, spatial, 2, 3, "valid", Dims{0}, Dims(spatial, 1));
  // A window that extends over the edge counts as if it were full of the mean of its elements.
  double elements = 1;
  for (Dim size : w.kernel) elements *= static_cast<double>(size.value());
  return safe_root(average_pool(pow(call[0], p), w.kernel, w.stride, w.padding, call[4], true, 0) * elements,
                   p);
}

/// x, indices, kernel_size, stride, padding, output_size.
Value unpool_face(const Call& call, size_t spatial) {
  const Dims kernel = per_dimension(call, 2, "kernel_size", spatial, 1);
  const Dims stride = call.has(3) ? per_dimension(call, 3, "stride", spatial, 1) : kernel;
  const Dims padding = per_dimension(call, 4, "padding", spatial, 0);
  const Shape& in = call.in(0).shape;
  if (in.size() < spatial) {
    value_error(call.op(), ": input has shape ", in, "; need ", spatial + 1, " or ", spatial + 2,
                " dimensions");
  }
  Dims sizes;
  for (size_t s = 0; s < spatial; ++s) {
    sizes.push_back((in[in.size() - spatial + s] - 1) * stride[s] - padding[s] * 2 + kernel[s]);
  }
  if (call.has(5) && !call.dims(5).empty()) {
    const Dims& given = call.dims(5);
    if (given.size() < spatial)
      value_error(call.op(), ": output_size is ", given, "; need ", spatial, " sizes");
    sizes = Dims(given.end() - spatial, given.end());
  }
  return unpool(call[0], call[1], sizes, false);
}

}  // namespace

#define DYAD_MAX_POOL(name, spatial, shape)                                                                \
  DYAD_OP(name                                                                                             \
          "(input: Tensor, kernel_size: ints, stride: ints?=None, padding: ints=0, dilation: ints=1, "     \
          "ceil_mode: bool=False, return_indices: bool=False) -> Tensor or Tensors")                       \
      .doc(#spatial                                                                                        \
           "D max pooling: the maximum of each window. W′ = (W + 2 · padding − dilation · (K − 1) − 1) / " \
           "stride + 1 per dimension, rounded down, or up with `ceil_mode`.")                              \
      .formula(                                                                                            \
          "out[n, c, i…] = max input[n, c, i · stride + k · dilation − padding] over 0 ≤ k < kernel_size") \
      .arg("input", "floats of shape (N, C, …) or (C, …) with " #spatial " spatial dimensions.")           \
      .arg("kernel_size", "K, size of the windows.")                                                       \
      .arg("stride", "distance of windows; None: `kernel_size`.")                                          \
      .arg("padding", "padding with −∞, at most half the kernel.")                                         \
      .arg("dilation", "distance of window elements.")                                                     \
      .arg("ceil_mode", "whether a last window may extend over the edge.")                                 \
      .arg("return_indices", "whether the indices of the maxima in the flattened plane are returned too.") \
      .returns("Tensor, or a tuple of the maxima and their indices.")                                      \
      .see("nn.MaxPool" #spatial "d, ops.avg_pool" #spatial "d")                                           \
      .compose([](const Call& call) { return max_face(call, spatial); })                                   \
      .alias("x", "input")                                                                                 \
      .numpy(                                                                                              \
          "ref.max_pool_face(input, kernel_size, stride, padding, dilation, ceil_mode, "                   \
          "return_indices, " #spatial ")")                                                                 \
      .samples("call(T(" shape "), 2)",                                                                    \
               "call(T(" shape "), 3, stride=2, padding=1, ceil_mode=True, return_indices=True)")          \
      .rejects("ops." name "(ones(3), 2)", "ValueError", name ": input has shape (3,)")

DYAD_MAX_POOL("max_pool1d", 1, "2, 3, 8");
DYAD_MAX_POOL("max_pool2d", 2, "2, 3, 8, 7")
    .function(
        "max_pool2d(x:input, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, "
        "ceil_mode=False)");

DYAD_OP(
    "max_pool_and_places(x: Tensor, kernel_size: ints, strides: ints?=None, pads: ints=0, dilation: ints=1, "
    "ceil_mode: bool=False, argmax_type: dtype=int64) -> (Tensor, Tensor)")
    .doc("2D max pooling, with the indices of the maxima.")
    .formula("out[n, c, i, j] = max x[n, c, i · sh + k · dh − ph, j · sw + l · dw − pw] over k, l")
    .arg("x", "floats of shape (N, C, H, W).")
    .arg("kernel_size", "size of the windows.")
    .arg("strides", "(sh, sw), distance of windows; None: `kernel_size`.")
    .arg("pads", "(ph, pw), padding with −∞.")
    .arg("dilation", "(dh, dw), distance of window elements.")
    .arg("ceil_mode", "whether a last window may extend over the edge.")
    .arg("argmax_type", "int32 or int64: dtype of the indices.")
    .returns("Tuple of the maxima and their indices in the flattened plane.")
    .see("ops.max_pool2d")
    .hidden()
    .primitive(
        "MaxPoolWithArgmaxV2(kernel_size, strides=None, pads=0, dilation=(1, 1), ceil_mode=False, "
        "argmax_type=int64)(x)")
    .compose([](const Call& call) -> ValueList {
      static const OpName max_pool2d{"max_pool2d"};
      static const OpName cast{"cast"};
      const DType places = call.dtype(6);
      if (places != DType::kInt64 && places != DType::kInt32) {
        type_error(call.op(), ": argmax_type is ", places, "; it must be int32 or int64");
      }
      const ValueList both = max_pool2d.all(call.value(0), call[1], call[2], call[3], call[4], call[5], true);
      return {both[0], cast(both[1], places)};
    })
    .numpy("ref.max_pool_face(x, kernel_size, strides, pads, dilation, ceil_mode, True, 2)")
    .samples("call(T(2, 3, 8, 7), 3, 2, 1)", "call(T(1, 2, 5, 5), (2, 2), argmax_type=dyad.int32)")
    .rejects("ops.MaxPoolWithArgmaxV2(2, argmax_type=dyad.float32)(ones(1, 1, 4, 4))", "TypeError",
             "it must be int32 or int64");

DYAD_MAX_POOL("max_pool3d", 3, "2, 4, 5, 6");

#define DYAD_AVG_POOL(name, spatial, shape)                                                                \
  DYAD_OP(name                                                                                             \
          "(input: Tensor, kernel_size: ints=1, stride: ints?=1, padding: ints=0, ceil_mode: bool=False, " \
          "count_include_pad: bool=True, divisor_override: int?=0) -> Tensor")                             \
      .doc(#spatial                                                                                        \
           "D average pooling: the mean of each window. W′ = (W + 2 · padding − K) / stride + 1 per "      \
           "dimension, "                                                                                   \
           "rounded down, or up with `ceil_mode`.")                                                        \
      .formula("out[n, c, i…] = 1/d · Σ input[n, c, i · stride + k − padding] over 0 ≤ k < kernel_size")   \
      .formula("d = number of elements of the window, or divisor_override if it is given")                 \
      .arg("input", "floats of shape (N, C, …) or (C, …) with " #spatial " spatial dimensions.")           \
      .arg("kernel_size", "K, size of the windows.")                                                       \
      .arg("stride", "distance of windows; None: `kernel_size`.")                                          \
      .arg("padding", "padding with 0, at most half the kernel.")                                          \
      .arg("ceil_mode", "whether a last window may extend over the edge.")                                 \
      .arg("count_include_pad", "whether padding counts in d.")                                            \
      .arg("divisor_override", "d; 0 or None: the number of elements.")                                    \
      .returns("Tensor with the dtype of `input`.")                                                        \
      .see("nn.AvgPool" #spatial "d, ops.max_pool" #spatial "d")                                           \
      .compose([](const Call& call) { return average_face(call, spatial); })                               \
      .alias("x", "input")                                                                                 \
      .alias("input_x", "input")                                                                           \
      .numpy(                                                                                              \
          "ref.avg_pool_face(input, kernel_size, stride, padding, ceil_mode, count_include_pad, "          \
          "divisor_override, " #spatial ")")                                                               \
      .samples("call(T(" shape "), 2)",                                                                    \
               "call(T(" shape "), 3, stride=2, padding=1, ceil_mode=True, count_include_pad=False)")      \
      .rejects("ops." name "(ones(3), 2)", "ValueError", name ": input has shape (3,)")

DYAD_AVG_POOL("avg_pool1d", 1, "2, 3, 8");
DYAD_AVG_POOL("avg_pool2d", 2, "2, 3, 8, 7");
DYAD_AVG_POOL("avg_pool3d", 3, "2, 4, 5, 6");

#define DYAD_ADAPTIVE_AVG_POOL(name, spatial, shape)                                                         \
  DYAD_OP(name "(input: Tensor, output_size: sizes) -> Tensor")                                              \
      .doc(#spatial "D adaptive average pooling: the means of `output_size` even parts.")                    \
      .formula("out[n, c, i…] = mean input[n, c, ⌊i · W / W′⌋:⌈(i + 1) · W / W′⌉, …]")                       \
      .arg("input", "floats of shape (N, C, …) or (C, …) with " #spatial " spatial dimensions.")             \
      .arg("output_size", "W′, number of parts per dimension; −1 or None keeps a size.")                     \
      .returns("Tensor with the dtype of `input`.")                                                          \
      .see("nn.AdaptiveAvgPool" #spatial "d, ops.avg_pool" #spatial "d")                                     \
      .compose([](const Call& call) { return adaptive_average_pool(call[0], output_sizes(call, spatial)); }) \
      .numpy("ref.adaptive_avg_pool_face(input, output_size, " #spatial ")")                                 \
      .samples("call(T(" shape "), 2)", "call(T(" shape "), 1)")                                             \
      .rejects("ops." name "(ones(3), 2)", "ValueError", name ": input has shape (3,)")

DYAD_ADAPTIVE_AVG_POOL("adaptive_avg_pool1d", 1, "2, 3, 8");
DYAD_ADAPTIVE_AVG_POOL("adaptive_avg_pool2d", 2, "2, 3, 8, 7")
    .primitive("AdaptiveAvgPool2D(output_size)(input_x:input)");
DYAD_ADAPTIVE_AVG_POOL("adaptive_avg_pool3d", 3, "2, 4, 5, 6")
    .primitive("AdaptiveAvgPool3D(output_size)(x:input)");

#define DYAD_ADAPTIVE_MAX_POOL(name, spatial, shape)                                                       \
  DYAD_OP(name "(input: Tensor, output_size: sizes, return_indices: bool=False) -> Tensor or Tensors")     \
      .doc(#spatial "D adaptive max pooling: the maxima of `output_size` even parts.")                     \
      .formula("out[n, c, i…] = max input[n, c, ⌊i · W / W′⌋:⌈(i + 1) · W / W′⌉, …]")                      \
      .arg("input", "floats of shape (N, C, …) or (C, …) with " #spatial " spatial dimensions.")           \
      .arg("output_size", "W′, number of parts per dimension; −1 or None keeps a size.")                   \
      .arg("return_indices", "whether the indices of the maxima in the flattened plane are returned too.") \
      .returns("Tensor, or a tuple of the maxima and their indices.")                                      \
      .see("nn.AdaptiveMaxPool" #spatial "d, ops.max_pool" #spatial "d")                                   \
      .compose([](const Call& call) { return adaptive_max_face(call, spatial); })                          \
      .numpy("ref.adaptive_max_pool_face(input, output_size, return_indices, " #spatial ")")               \
      .samples("call(T(" shape "), 2)", "call(T(" shape "), 3, return_indices=True)",                      \
               "call(T(" shape "), 2, dtypes='int32')")                                                    \
      .rejects("ops." name "(ones(3), 2)", "ValueError", name ": input has shape (3,)")

DYAD_ADAPTIVE_MAX_POOL("adaptive_max_pool1d", 1, "2, 3, 8");
DYAD_ADAPTIVE_MAX_POOL("adaptive_max_pool2d", 2, "2, 3, 8, 7")
    .primitive("AdaptiveMaxPool2D(output_size, return_indices=True)(input_x:input)");
DYAD_ADAPTIVE_MAX_POOL("adaptive_max_pool3d", 3, "2, 4, 5, 6")
    .primitive("AdaptiveMaxPool3D(return_indices=True)(x:input, output_size)");

#define DYAD_LP_POOL(name, spatial, shape)                                                                   \
  DYAD_OP(name                                                                                               \
          "(x: Tensor, norm_type: float, kernel_size: ints, stride: ints?=None, ceil_mode: bool=False) -> "  \
          "Tensor")                                                                                          \
      .doc(#spatial                                                                                          \
           "D power-average (Lp) pooling: the p-norm of each window, without absolute values. A window "     \
           "that extends over "                                                                              \
           "the edge counts as if it were full of the mean of its powers.")                                  \
      .formula("out[n, c, i…] = (Σ x[n, c, i · stride + k]ᵖ)^(1/p) over 0 ≤ k < kernel_size, p = norm_type") \
      .arg("x", "floats of shape (N, C, …) or (C, …) with " #spatial " spatial dimensions.")                 \
      .arg("norm_type", "p, not 0.")                                                                         \
      .arg("kernel_size", "size of the windows.")                                                            \
      .arg("stride", "distance of windows; None: `kernel_size`.")                                            \
      .arg("ceil_mode", "whether a last window may extend over the edge.")                                   \
      .returns("Tensor with the dtype of `x`.")                                                              \
      .see("ops.avg_pool" #spatial "d")                                                                      \
      .compose_wide([](const Call& call) { return norm_face(call, spatial); })                               \
      .alias("input", "x")                                                                                   \
      .numpy("ref.lp_pool(x, norm_type, kernel_size, stride, ceil_mode, " #spatial ")")                      \
      .samples("call(T(" shape ", lo=1, hi=2), 2.0, 2)", "call(T(" shape ", lo=1, hi=2), 3.0, 3, stride=1)", \
               "call(T(" shape ", lo=1, hi=2), 2.0, 3, ceil_mode=True)")                                     \
      .rejects("ops." name "(ones(1, 4, 4), 0, 2)", "ValueError", name ": norm_type is 0")

DYAD_LP_POOL("lp_pool1d", 1, "2, 3, 8");
DYAD_LP_POOL("lp_pool2d", 2, "2, 3, 8, 7");

#define DYAD_MAX_UNPOOL(name, spatial, values, places)                                                    \
  DYAD_OP(name                                                                                            \
          "(x: Tensor, indices: Tensor, kernel_size: ints, stride: ints?=None, padding: ints=0, "         \
          "output_size: ints?=None) -> Tensor")                                                           \
      .doc(#spatial                                                                                       \
           "D max unpooling, a partial inverse of max pooling: elements go back to their indices, zeros " \
           "elsewhere.")                                                                                  \
      .formula("flat(out[n, c])[indices[n, c, i…]] = x[n, c, i…], elsewhere 0")                           \
      .arg("x", "floats of shape (N, C, …) or (C, …) with " #spatial " spatial dimensions.")              \
      .arg("indices", "indices in the flattened plane, integers of the shape of `x`.")                    \
      .arg("kernel_size", "size of the windows of the pooling.")                                          \
      .arg("stride", "distance of windows; None: `kernel_size`.")                                         \
      .arg("padding", "padding of the pooling.")                                                          \
      .arg("output_size", "sizes of the result; None: (size − 1) · stride − 2 · padding + kernel_size.")  \
      .returns("Tensor with the dtype of `x`.")                                                           \
      .see("ops.max_pool" #spatial "d")                                                                   \
      .compose([](const Call& call) { return unpool_face(call, spatial); })                               \
      .alias("input", "x")                                                                                \
      .numpy("ref.max_unpool(x, indices, kernel_size, stride, padding, output_size, " #spatial ")")       \
      .samples("call(T(" values "), V(" places ", 'int64'), 2)")                                          \
      .rejects("ops." name "(ones(1, 1, 1, 1), ones(1, 1, 1, 1), 2)", "TypeError",                        \
               "indices have dtype Float32")

DYAD_MAX_UNPOOL("max_unpool1d", 1, "1, 2, 2", "[[[0, 3], [1, 2]]]");
DYAD_MAX_UNPOOL("max_unpool2d", 2, "1, 1, 2, 2", "[[[[0, 3], [9, 14]]]]");
DYAD_MAX_UNPOOL("max_unpool3d", 3, "1, 1, 1, 1, 2", "[[[[[0, 11]]]]]");

#define DYAD_POOL_LAYER(name, spatial, mean, title, element, format, faces)                                 \
  DYAD_OP(name                                                                                              \
          "(input: Tensor, kernel_size: ints=1, strides: ints=1, pad_mode: str='valid', pad_list: ints=0, " \
          "ceil_mode: bool?=None, data_format: str='" format                                                \
          "', count_include_pad: bool=True, "                                                               \
          "divisor_override: int=0) -> Tensor")                                                             \
      .doc(#spatial "D " title ", with padding given by a mode.")                                           \
      .formula("out[n, c, i…] = " element " padded[n, c, i · strides + k] over 0 ≤ k < kernel_size")        \
      .arg("input", "floats of shape (N, C, …), or (N, …, C) with channels last.")                          \
      .arg("kernel_size", "size of the windows.")                                                           \
      .arg("strides", "distance of windows.")                                                               \
      .arg("pad_mode",                                                                                      \
           "'valid' (no padding), 'same' (⌈size / stride⌉ windows) or 'pad' (by `pad_list`), in any case.") \
      .arg("pad_list", "padding around the image, for 'pad'.")                                              \
      .arg("ceil_mode", "whether a last window may extend over the edge.")                                  \
      .arg("data_format", "'" format "', or the same with C last.")                                         \
      .arg("count_include_pad", "whether padding counts in a mean; in 2D with 'same' it never does.")       \
      .arg("divisor_override", "divisor of a mean; 0: the number of elements.")                             \
      .returns("Tensor with the dtype of `input`.")                                                         \
      .see("ops.max_pool" #spatial "d, ops.avg_pool" #spatial "d")                                          \
      .hidden()                                                                                             \
      .primitive(faces)                                                                                     \
      .compose([](const Call& call) { return pool_layer(call, spatial, mean); })                            \
      .numpy(                                                                                               \
          "ref.pool_layer(input, kernel_size, strides, pad_mode, pad_list, ceil_mode, data_format, "        \
          "count_include_pad, divisor_override, " #spatial ", " #mean ")")

DYAD_POOL_LAYER("max_pool2d_layer", 2, 0, "max pooling", "max", "NCHW",
                "MaxPool(kernel_size=1, strides=1, pad_mode='valid', data_format='NCHW')(x:input)")
    .samples("call(T(2, 3, 8, 7), 3, 2, 'same')", "call(T(2, 8, 7, 3), 2, 2, data_format='NHWC')")
    .rejects("ops.MaxPool(2, 2)(ones(3))", "ValueError", "input has shape (3,)");
DYAD_POOL_LAYER("max_pool3d_layer", 3, 0, "max pooling", "max", "NCDHW",
                "MaxPool3D(kernel_size=1, strides=1, pad_mode='VALID', pad_list=0, ceil_mode=None, "
                "data_format='NCDHW')(x:input)")
    .samples("call(T(2, 3, 4, 5, 6), 2, 2, 'SAME')", "call(T(2, 3, 4, 5, 6), 3, 2, 'pad', 1)")
    .rejects("ops.MaxPool3D(2, 2)(ones(3))", "ValueError", "input has shape (3,)");
DYAD_POOL_LAYER("avg_pool2d_layer", 2, 1, "average pooling", "mean of", "NCHW",
                "AvgPool(kernel_size=1, strides=1, pad_mode='VALID', data_format='NCHW')(x:input)")
    .samples("call(T(2, 3, 8, 7), 3, 2, 'SAME')", "call(T(2, 8, 7, 3), 2, 2, data_format='NHWC')")
    .rejects("ops.AvgPool(2, 2, 'full')(ones(1, 1, 4, 4))", "ValueError", "pad_mode is 'full'");
DYAD_POOL_LAYER("avg_pool3d_layer", 3, 1, "average pooling", "mean of", "NCDHW",
                "AvgPool3D(kernel_size=1, strides=1, pad_mode='valid', pad:pad_list=0, ceil_mode=False, "
                "count_include_pad=True, divisor_override=0, data_format='NCDHW')(x:input)")
    .samples("call(T(2, 3, 4, 5, 6), 2, 2, 'same')", "call(T(2, 3, 4, 5, 6), 3, 2, 'pad', 1)",
             "call(T(2, 3, 4, 5, 6), 3, 2, 'same', count_include_pad=False)")
    .rejects("ops.AvgPool3D(2, 2)(ones(3))", "ValueError", "input has shape (3,)");

}  // namespace dyad
