#include <algorithm>

#include "base/error.h"
#include "ops/call.h"
#include "ops/cost.h"
#include "ops/infer.h"
#include "ops/layout.h"
#include "ops/neural/convolution_rules.h"
#include "ops/neural/window_arguments.h"
#include "ops/placeholder.h"
#include "types/agreement.h"

namespace dyad {

namespace {

DYAD_USE(convolution, convolution_input_gradient, convolution_weight_gradient, sum);

bool differ(Dim a, Dim b) { return a.known() && b.known() && !(a == b); }

/// The three primitives share the attributes stride, padding (pairs), dilation, groups and channels_last,
/// from argument 3 on. With channels last, filters may be packed, in one dimension: then the last argument of
/// the first two is their shape.
constexpr size_t kChannelsLast = 7;
constexpr size_t kFilters = 8;

/// Infers as for images whose channels come second and filters as they are.
void infer_with_filters(const Arguments& args, InferRule rule, Results& results) {
  if (!args.has(kFilters)) return layout::infer_channels_last(args, kChannelsLast, 1, rule, results);
  const ValueImpl& weight = args.in(1);
  const Dims& filters = args.dims(kFilters);
  if (!args.flag(kChannelsLast)) {
    value_error(args.op(), ": filters is ", filters, "; it is taken with channels_last only");
  }
  infer::require_dtype(args, 1, weight.dtype == DType::kFloat32, "float32 where channels are last");
  if (weight.rank() != 1 && !may_agree(weight.shape, filters)) {
    value_error(args.op(), ": weight has shape ", weight.shape, "; need filters of shape ", filters,
                " or the same packed");
  }
  std::vector<Arg> plain;
  for (size_t i = 0; i < args.size(); ++i) plain.push_back(args[i]);
  plain[1] = Value(placeholder(weight.dtype, filters));
  layout::infer_channels_last(Arguments(args.op(), plain), kChannelsLast, 1, rule, results);
}

/// The sizes of images between or after images and channels.
Dims sizes_of(const Value& image, const GradCall& g) {
  const Shape& shape = image->shape;
  return g.flag(kChannelsLast) ? Dims(shape.begin() + 1, shape.end() - 1)
                               : Dims(shape.begin() + 2, shape.end());
}

/// The filters of a call that is differentiated.
const Value& plain_filters(const GradCall& g) {
  if (g.in(1).rank() == 1) unsupported(g.op(), ": packed filters cannot be differentiated");
  return g.value(1);
}

void check_attributes(const Arguments& args, size_t spatial) {
  const bool sized =
      args.dims(3).size() == spatial && args.dims(4).size() == 2 * spatial && args.dims(5).size() == spatial;
  if (spatial < 1 || spatial > 3 || !sized) {
    value_error(args.op(), ": stride ", args.dims(3), ", padding ", args.dims(4), " and dilation ",
                args.dims(5), " do not fit ", spatial,
                " spatial dimensions; need 1 to 3, with one stride and dilation and a pair of "
                "paddings each");
  }
  require_at_least(args, "stride", args.dims(3), 1);
  require_at_least(args, "padding", args.dims(4), 0);
  require_at_least(args, "dilation", args.dims(5), 1);
  if (args.integer(6) < 1) value_error(args.op(), ": groups is ", args.integer(6), "; it must be at least 1");
}

DType float_dtype(const Arguments& args, size_t operands) {
  DType dtype = args.in(0).dtype;
  for (size_t i = 1; i < operands; ++i) {
    if (args.has(i)) dtype = promote(args.op(), dtype, args.in(i).dtype);
  }
  if (!is_float(dtype)) {
    type_error(args.op(), ": the operands meet in ", dtype,
               "; accepted are float16, bfloat16, float32 and float64");
  }
  return dtype;
}

void infer_convolution(const Arguments& args, Results& results) {
  const ValueImpl& x = args.in(0);
  const ValueImpl& weight = args.in(1);
  if (x.rank() < 3 || weight.rank() != x.rank()) {
    value_error(args.op(), ": input has shape ", x.shape, " and weight ", weight.shape,
                "; need (images, channels, sizes…) and (out, channels / groups, kernel…) of one rank");
  }
  const size_t spatial = x.shape.size() - 2;
  check_attributes(args, spatial);
  const int64_t groups = args.integer(6);
  if (differ(x.shape[1], weight.shape[1] * groups)) {
    value_error(args.op(), ": input has ", x.shape[1], " channels, but weight ", weight.shape,
                " with groups ", groups, " takes ", weight.shape[1] * groups);
  }
  if (weight.shape[0].known() && weight.shape[0].value() % groups != 0) {
    value_error(args.op(), ": weight has ", weight.shape[0], " output channels, which ", groups,
                " groups do not divide");
  }
  if (args.has(2) && (args.in(2).rank() != 1 || differ(args.in(2).shape[0], weight.shape[0]))) {
    value_error(args.op(), ": bias has shape ", args.in(2).shape, "; it must be (", weight.shape[0], ",)");
  }
  Shape shape{x.shape[0], weight.shape[0]};
  for (size_t s = 0; s < spatial; ++s) {
    const Dim padding = args.dims(4)[2 * s] + args.dims(4)[2 * s + 1];
    const Dim count =
        window_count(x.shape[s + 2], padding, weight.shape[s + 2], args.dims(3)[s], args.dims(5)[s]);
    if (count.known() && count.value() < 1) {
      value_error(args.op(), ": a kernel of shape ", weight.shape, " with dilation ", args.dims(5),
                  " is larger than the padded input of shape ", x.shape);
    }
    shape.push_back(count);
  }
  results.add(float_dtype(args, 3), shape);
}

void convolution_gradient(GradCall& g) {
  const Value& x = g.value(0);
  const Value& weight = plain_filters(g);
  const Dims sizes = sizes_of(x, g);
  const Dims kernel(weight->shape.begin() + 2, weight->shape.end());
  // The images of the first layer mostly take no gradient, and it is the most expensive one.
  if (g.needs(0)) g.set(0, convolution_input_gradient(g.grad(), weight, sizes, g[3], g[4], g[5], g[6], g[7]));
  if (g.needs(1)) g.set(1, convolution_weight_gradient(g.grad(), x, kernel, g[3], g[4], g[5], g[6], g[7]));
  if (!g.has(2) || !g.needs(2)) return;
  Dims others;
  const auto channels = static_cast<int64_t>(layout::channel_axis(*x, g.flag(kChannelsLast)));
  for (int64_t i = 0; i < x->rank(); ++i) {
    if (i != channels) others.push_back(i);
  }
  g.set(2, sum(g.grad(), others));
}

void infer_input_gradient(const Arguments& args, Results& results) {
  const ValueImpl& gradient = args.in(0);
  const ValueImpl& weight = args.in(1);
  const Dims& sizes = args.dims(2);
  if (gradient.rank() < 3 || weight.rank() != gradient.rank() || sizes.size() + 2 != gradient.shape.size()) {
    value_error(args.op(), ": input has shape ", gradient.shape, " and weight ", weight.shape,
                "; need (images, channels, sizes…) and (channels, out / groups, kernel…) of one rank");
  }
  check_attributes(args, sizes.size());
  require_at_least(args, "sizes", sizes, 0);
  if (differ(gradient.shape[1], weight.shape[0])) {
    value_error(args.op(), ": input has ", gradient.shape[1], " channels, but weight ", weight.shape,
                " takes ", weight.shape[0]);
  }
  if (weight.shape[0].known() && weight.shape[0].value() % args.integer(6) != 0) {
    value_error(args.op(), ": ", weight.shape[0], " channels do not divide into ", args.integer(6),
                " groups");
  }
  Shape shape{gradient.shape[0], weight.shape[1] * args.integer(6)};
  for (size_t s = 0; s < sizes.size(); ++s) {
    const Dim padding = args.dims(4)[2 * s] + args.dims(4)[2 * s + 1];
    const Dim count = window_count(sizes[s], padding, weight.shape[s + 2], args.dims(3)[s], args.dims(5)[s]);
    if (differ(count, gradient.shape[s + 2])) {
      value_error(args.op(), ": an output of ", sizes, " has ", count, " windows along dimension ", s + 2,
                  ", but the input of shape ", gradient.shape, " has ", gradient.shape[s + 2]);
    }
    shape.push_back(sizes[s]);
  }
  results.add(float_dtype(args, 2), shape);
}

void infer_weight_gradient(const Arguments& args, Results& results) {
  const ValueImpl& gradient = args.in(0);
  const ValueImpl& x = args.in(1);
  const Dims& kernel = args.dims(2);
  if (gradient.rank() < 3 || x.rank() != gradient.rank() || kernel.size() + 2 != x.shape.size()) {
    value_error(args.op(), ": gradient has shape ", gradient.shape, " and input ", x.shape,
                "; need one rank");
  }
  check_attributes(args, kernel.size());
  require_at_least(args, "kernel", kernel, 0);
  const int64_t groups = args.integer(6);
  const bool divide = !(gradient.shape[1].known() && gradient.shape[1].value() % groups != 0) &&
                      !(x.shape[1].known() && x.shape[1].value() % groups != 0);
  if (differ(gradient.shape[0], x.shape[0]) || !divide) {
    value_error(args.op(), ": gradient has shape ", gradient.shape, " and input ", x.shape,
                "; need as many images in both, and channels that ", groups, " groups divide");
  }
  for (size_t s = 0; s < kernel.size(); ++s) {
    const Dim padding = args.dims(4)[2 * s] + args.dims(4)[2 * s + 1];
    if (differ(window_count(x.shape[s + 2], padding, kernel[s], args.dims(3)[s], args.dims(5)[s]),
               gradient.shape[s + 2])) {
      value_error(args.op(), ": gradient of shape ", gradient.shape, " does not belong to input ", x.shape,
                  " and a kernel of ", kernel);
    }
  }
  Shape shape{gradient.shape[1], floor_div(x.shape[1], groups)};
  for (Dim k : kernel) shape.push_back(k);
  results.add(float_dtype(args, 2), shape);
}

/// Common arguments of the public forms: input, weight, bias, stride, pad_mode, padding, dilation, groups.
Value run_face(const Call& call, size_t spatial) {
  const Images images(call, spatial);
  const Value& x = images.batch;
  const Value& weight = call.value(1);
  const Dims stride = per_dimension(call, 3, "stride", spatial, 1);
  const Dims dilation = per_dimension(call, 6, "dilation", spatial, 1);
  const Dims sizes(x->shape.begin() + 2, x->shape.end());
  const Dims kernel(weight->shape.begin() + 2, weight->shape.end());
  const Dims padding = padding_pairs(call, call.text(4), call.dims(5), sizes, kernel, stride, dilation);
  const Value result = convolution(x, weight, call[2], stride, padding, dilation, call[7]);
  return images.as_given(result);
}

/// Multiply-adds for one position of one filter, each counted twice.
double filter_flops(const Shape& filters) {
  double flops = 2;
  for (size_t i = 1; i < filters.size(); ++i) flops *= static_cast<double>(filters[i].value());
  return flops;
}
const Shape& filters_of(const Arguments& args) {
  return args.size() > kFilters && args.has(kFilters) ? args.dims(kFilters) : args.in(1).shape;
}

}  // namespace

DYAD_OP(
    "convolution(input: Tensor, weight: Tensor, bias: Tensor?, stride: ints, padding: ints, dilation: ints, "
    "groups: int, channels_last: bool=False, filters: ints?=None) -> Tensor")
    .doc(
        "Cross-correlation of images with filters over 1 to 3 spatial dimensions; padding is a pair per "
        "dimension.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      infer_with_filters(args, infer_convolution, results);
    })
    .grad(convolution_gradient)
    .batch(batch::convolution)
    .channels_last(layout::convolution)
    .prefers_channels_last()
    .cost([](const Arguments& args, cost::Values results) {
      return cost::elements(*results[0]) * filter_flops(filters_of(args));
    })
    .autocast(Autocast::kLow)
    .numpy(
        "ref.convolution(input, weight, bias, stride, padding, dilation, groups, "
        "channels_last=channels_last)")
    .samples(
        "call(T(2, 4, 7, 6), T(6, 2, 3, 2), T(6), stride=(2, 1), padding=(1, 0, 2, 1), dilation=(1, 2), "
        "groups=2)",
        "call(T(1, 3, 5), T(4, 3, 3), None, stride=(1,), padding=(1, 1), dilation=(1,), groups=1, "
        "dtypes='float')",
        "call(T(1, 3, 9, 9), T(3, 1, 3, 3), T(3), stride=(2, 2), padding=(1, 1, 1, 1), dilation=(1, 1), "
        "groups=3)",
        "call(T(1, 2, 3, 4, 5), T(2, 2, 2, 2, 2), T(2), stride=(1, 2, 1), padding=(0, 0, 1, 1, 0, 0), "
        "dilation=(1, 1, 1), groups=1)",
        "call(strided(T(2, 3, 5, 5)), T(17, 3, 1, 1), T(17), stride=(1, 1), padding=(0, 0, 0, 0), "
        "dilation=(1, 1), "
        "groups=1)",
        "call(T(0, 3, 5), T(4, 3, 3), None, stride=(1,), padding=(0, 0), dilation=(1,), groups=1)",
        "call(F(2, 7, 6, 4), F(6, 2, 3, 2), F(6), stride=(2, 1), padding=(1, 0, 2, 1), dilation=(1, 2), "
        "groups=2, channels_last=True, dtypes='float32', filters=(6, 2, 3, 2))",
        "call(F(2, 9, 17), F(33, 17, 3), None, stride=(1,), padding=(1, 1), dilation=(1,), groups=1, "
        "channels_last=True, dtypes='float32')",
        "call(strided(F(1, 9, 9, 5)), F(5, 1, 3, 3), F(5), stride=(2, 2), padding=(1, 1, 1, 1), dilation=(1, "
        "1), groups=5, channels_last=True, dtypes='float32')",
        "call(F(1, 3, 4, 5, 2), F(2, 2, 2, 2, 2), F(2), stride=(1, 2, 1), padding=(0, 0, 1, 1, 0, 0), "
        "dilation=(1, 1, 1), groups=1, channels_last=True, dtypes='float32')",
        "call(F(0, 5, 3), F(4, 3, 3), None, stride=(1,), padding=(0, 0), dilation=(1,), groups=1, "
        "channels_last=True, dtypes='float32')")
    .rejects(
        "dyad._core.named_op('convolution')(ones(1, 5, 3), ones(4, 2, 3), None, 1, (0, 0), 1, 1, True, (4, "
        "2, "
        "3))",
        "ValueError", "convolution: input has 3 channels")
    .rejects(
        "dyad._core.named_op('convolution')(ones(1, 3, 5), ones(4, 3, 3), None, 1, (0, 0), 1, 1, False, "
        "(4, 3, 3))",
        "ValueError", "it is taken with channels_last only")
    .rejects("ops.conv2d(ones(1, 3, 5, 5), ones(4, 2, 3, 3))", "ValueError", "conv2d: input has 3 channels")
    .rejects("ops.conv2d(ones(1, 3, 2, 2), ones(4, 3, 3, 3))", "ValueError",
             "is larger than the padded input");

DYAD_OP(
    "convolution_input_gradient(input: Tensor, weight: Tensor, sizes: ints, stride: ints, padding: ints, "
    "dilation: ints, groups: int, channels_last: bool=False, filters: ints?=None) -> Tensor")
    .doc(
        "Adds each input element's multiple of the filter to the window it stands for: the transpose of a "
        "convolution "
        "with respect to its image.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      infer_with_filters(args, infer_input_gradient, results);
    })
    .multilinear({0, 1})
    .grad([](GradCall& g) {
      const Value& weight = plain_filters(g);
      const Dims kernel(weight->shape.begin() + 2, weight->shape.end());
      if (g.needs(0)) g.set(0, convolution(g.grad(), weight, nullptr, g[3], g[4], g[5], g[6], g[7]));
      if (g.needs(1)) {
        g.set(1, convolution_weight_gradient(g.value(0), g.grad(), kernel, g[3], g[4], g[5], g[6], g[7]));
      }
    })
    .batch(batch::convolution_input_gradient)
    .channels_last(layout::convolution_input_gradient)
    .prefers_channels_last()
    .cost([](const Arguments& args, cost::Values) {
      return cost::elements(args.in(0)) * filter_flops(filters_of(args));
    })
    .autocast(Autocast::kLow)
    .numpy(
        "ref.convolution_input_gradient(input, weight, sizes, stride, padding, dilation, groups, "
        "channels_last=channels_last)")
    .samples(
        "call(T(2, 4, 3, 3), T(4, 2, 3, 3), sizes=(6, 5), stride=(2, 2), padding=(1, 1, 1, 1), dilation=(1, "
        "1), "
        "groups=2)",
        "call(T(1, 2, 4), T(2, 3, 2), sizes=(5,), stride=(1,), padding=(0, 0), dilation=(1,), groups=1, "
        "dtypes='float')",
        "call(F(2, 3, 3, 4), F(4, 2, 3, 3), sizes=(6, 5), stride=(2, 2), padding=(1, 1, 1, 1), dilation=(1, "
        "1), groups=2, channels_last=True, dtypes='float32', filters=(4, 2, 3, 3))",
        "call(F(1, 4, 2), F(2, 3, 2), sizes=(5,), stride=(1,), padding=(0, 0), dilation=(1,), groups=1, "
        "channels_last=True, dtypes='float32')")
    .rejects(
        "dyad._core.named_op('convolution_input_gradient')(ones(1, 5, 3), ones(4, 2, 3), 7, 1, (0, 0), 1, 1, "
        "True)",
        "ValueError", "input has 3 channels, but weight (4, 2, 3) takes 4")
    .rejects("ops.conv_transpose2d(ones(1, 3, 5, 5), ones(4, 3, 3, 3))", "ValueError",
             "input has 3 channels");

DYAD_OP(
    "convolution_weight_gradient(gradient: Tensor, input: Tensor, kernel: ints, stride: ints, padding: ints, "
    "dilation: ints, groups: int, channels_last: bool=False) -> Tensor")
    .doc(
        "Sums over all windows the products of gradient and image: the transpose of a convolution with "
        "respect to its "
        "filters.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      if (!args.flag(kChannelsLast)) return infer_weight_gradient(args, results);
      // The filters themselves have one order only.
      const std::vector<Arg> moved = layout::in_default_layout(args, 2);
      infer_weight_gradient(Arguments(args.op(), moved), results);
    })
    .multilinear({0, 1})
    .grad([](GradCall& g) {
      const Value& x = g.value(1);
      g.set(0, convolution(x, g.grad(), nullptr, g[3], g[4], g[5], g[6], g[7]));
      g.set(1,
            convolution_input_gradient(g.value(0), g.grad(), sizes_of(x, g), g[3], g[4], g[5], g[6], g[7]));
    })
    .batch(batch::convolution_weight_gradient)
    .channels_last({0, 1}, {}, layout::convolution_weight_gradient)
    .prefers_channels_last()
    .cost([](const Arguments& args, cost::Values results) {
      return cost::elements(args.in(0)) * filter_flops(results[0]->shape);
    })
    .numpy(
        "ref.convolution_weight_gradient(gradient, input, kernel, stride, padding, dilation, groups, "
        "channels_last=channels_last)")
    .samples(
        "call(T(2, 4, 3, 3), T(2, 4, 6, 5), kernel=(3, 3), stride=(2, 2), padding=(1, 1, 1, 1), dilation=(1, "
        "1), "
        "groups=2)",
        "call(F(2, 3, 3, 4), F(2, 6, 5, 4), kernel=(3, 3), stride=(2, 2), padding=(1, 1, 1, 1), dilation=(1, "
        "1), groups=2, channels_last=True, dtypes='float32')",
        "call(F(0, 4, 2), F(0, 5, 3), kernel=(2,), stride=(1,), padding=(0, 0), dilation=(1,), groups=1, "
        "channels_last=True, dtypes='float32')")
    .rejects(
        "dyad._core.named_op('convolution_weight_gradient')(ones(1, 3), ones(1, 5, 3), 3, 1, (0, 0), 1, 1, "
        "True)",
        "ValueError", "input has shape (1, 3)")
    .rejects("ops.conv2d(ones(1, 3, 5, 5), ones(4, 3))", "ValueError", "need 4 dimensions each")
    .rejects(
        "dyad._core.named_op('convolution_weight_gradient')(ones(1, 1, 3), ones(2, 1, 3), 1, 1, (0, 0), 1, "
        "1)",
        "ValueError", "need as many images in both")
    .rejects(
        "dyad._core.named_op('convolution_weight_gradient')(ones(1, 1, 3), ones(1, 1, 3), 1, 0, (0, 0), 1, "
        "1)",
        "ValueError", "stride is (0,); each number must be at least 1");

DYAD_OP(
    "conv1d(input: Tensor, weight: Tensor, bias: Tensor?=None, stride: ints=1, pad_mode: str='valid', "
    "padding: ints=0, dilation: ints=1, groups: int=1) -> Tensor")
    .doc(
        "1D convolution (cross-correlation) of signals with filters. L′ = (L + padding − dilation · (K − 1) "
        "− 1) / stride + 1, rounded down.")
    .formula(
        "out[n, o, i] = bias[o] + Σ over c, k of weight[o, c, k] · padded[n, c, i · stride + k · dilation]")
    .arg("input", "floats of shape (N, C, L) or (C, L).")
    .arg("weight", "filters, of shape (out, C / groups, K).")
    .arg("bias", "of shape (out,); None: 0.")
    .arg("stride", "distance of windows.")
    .arg("pad_mode", "'valid' (no padding), 'same' (L′ = ⌈L / stride⌉) or 'pad' (by `padding`).")
    .arg("padding", "zeros before and after, for 'pad'.")
    .arg("dilation", "distance of filter elements.")
    .arg("groups", "groups of channels, each with filters of its own.")
    .returns("Tensor of shape (N, out, L′) or (out, L′).")
    .see("ops.conv2d, nn.Conv1d")
    .compose([](const Call& call) { return run_face(call, 1); })
    .autocast(Autocast::kLow)
    .numpy("ref.conv(input, weight, bias, stride, pad_mode, padding, dilation, groups)")
    .samples("call(T(2, 3, 8), T(4, 3, 3), T(4), stride=2, pad_mode='same')", "call(T(3, 8), T(4, 3, 3))")
    .rejects("ops.conv1d(ones(1, 3, 5), ones(4, 3, 3), pad_mode='full')", "ValueError",
             "conv1d: pad_mode is 'full'");

DYAD_OP(
    "conv2d(input: Tensor, weight: Tensor, bias: Tensor?=None, stride: ints=1, pad_mode: str='valid', "
    "padding: ints=0, dilation: ints=1, groups: int=1) -> Tensor")
    .doc(
        "2D convolution (cross-correlation) of images with filters. H′ = (H + padding − dilation · (Kh − 1) "
        "− 1) / stride + 1, rounded down.")
    .formula(
        "out[n, o, i, j] = bias[o] + Σ over c, k, l of weight[o, c, k, l] · padded[n, c, i · sh + k · dh, j "
        "· sw + l · dw]")
    .arg("input", "floats of shape (N, C, H, W) or (C, H, W).")
    .arg("weight", "filters, of shape (out, C / groups, Kh, Kw).")
    .arg("bias", "of shape (out,); None: 0.")
    .arg("stride", "(sh, sw), distance of windows.")
    .arg("pad_mode", "'valid' (no padding), 'same' (H′ = ⌈H / stride⌉) or 'pad' (by `padding`).")
    .arg("padding",
         "zeros around the image, for 'pad': one number, one per dimension, or (top, bottom, left, right).")
    .arg("dilation", "(dh, dw), distance of filter elements.")
    .arg("groups", "groups of channels, each with filters of its own.")
    .returns("Tensor of shape (N, out, H′, W′) or (out, H′, W′).")
    .see("ops.conv1d, ops.conv3d, nn.Conv2d")
    .compose([](const Call& call) { return run_face(call, 2); })
    .autocast(Autocast::kLow)
    .numpy("ref.conv(input, weight, bias, stride, pad_mode, padding, dilation, groups)")
    .samples("call(T(2, 3, 8, 7), T(4, 3, 3, 3), T(4), stride=2, pad_mode='same')",
             "call(T(2, 4, 8, 8), T(4, 2, 3, 3), None, pad_mode='pad', padding=(1, 2), groups=2)",
             "call(T(3, 8, 8), T(5, 3, 3, 3), dilation=2)")
    .rejects("ops.conv2d(ones(1, 3, 5, 5), ones(4, 3, 3, 3), padding=1)", "ValueError",
             "conv2d: padding is (1,) with pad_mode 'valid'");

DYAD_OP(
    "conv3d(input: Tensor, weight: Tensor, bias: Tensor?=None, stride: ints=1, pad_mode: str='valid', "
    "padding: ints=0, dilation: ints=1, groups: int=1) -> Tensor")
    .doc(
        "3D convolution (cross-correlation) of volumes with filters. D′ = (D + padding − dilation · (Kd − 1) "
        "− 1) / stride + 1, rounded down.")
    .formula(
        "out[n, o, p] = bias[o] + Σ over c, k of weight[o, c, k] · padded[n, c, p · stride + k · dilation], "
        "p, k of 3 indices")
    .arg("input", "floats of shape (N, C, D, H, W) or (C, D, H, W).")
    .arg("weight", "filters, of shape (out, C / groups, Kd, Kh, Kw).")
    .arg("bias", "of shape (out,); None: 0.")
    .arg("stride", "distance of windows.")
    .arg("pad_mode", "'valid' (no padding), 'same' (D′ = ⌈D / stride⌉) or 'pad' (by `padding`).")
    .arg("padding", "zeros around the volume, for 'pad'.")
    .arg("dilation", "distance of filter elements.")
    .arg("groups", "groups of channels, each with filters of its own.")
    .returns("Tensor of shape (N, out, D′, H′, W′).")
    .see("ops.conv2d, nn.Conv3d")
    .compose([](const Call& call) { return run_face(call, 3); })
    .autocast(Autocast::kLow)
    .numpy("ref.conv(input, weight, bias, stride, pad_mode, padding, dilation, groups)")
    .samples("call(T(1, 2, 4, 5, 6), T(3, 2, 2, 3, 3), T(3), stride=(1, 2, 1), pad_mode='same')")
    .rejects("ops.conv3d(ones(1, 3, 5, 5, 5), ones(4, 3, 3, 3, 3), stride=(1, 1))", "ValueError",
             "conv3d: stride is (1, 1)");

}  // namespace dyad
