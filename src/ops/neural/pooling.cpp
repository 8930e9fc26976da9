#include <algorithm>

#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/cost.h"
#include "ops/infer.h"
#include "ops/layout.h"
#include "ops/neural/window_arguments.h"

namespace dyad {

namespace {

DYAD_USE(adaptive_average_pool, adaptive_average_pool_gradient, average_pool, average_pool_gradient,
         gather_elements, max_pool, max_pool_with_places, mean, permute, reshape, unpool);

DType float_dtype(const Arguments& args) {
  const DType dtype = args.in(0).dtype;
  infer::require_dtype(args, 0, is_float(dtype), "float16, bfloat16, float32 and float64");
  return dtype;
}

/// Shape of `in` after pooling; `dilation` is at argument 4 where the operator has one.
Shape pooled(const Arguments& args, const Shape& in, bool dilated, bool ceil) {
  const Dims& kernel = args.dims(1);
  const Dims& stride = args.dims(2);
  const Dims& padding = args.dims(3);
  const size_t spatial = kernel.size();
  if (in.size() <= spatial || spatial < 1 || spatial > 3) {
    value_error(args.op(), ": input has shape ", in, "; a kernel of ", kernel, " needs ", spatial + 1, " or ",
                spatial + 2, " dimensions");
  }
  if (stride.size() != spatial || padding.size() != 2 * spatial ||
      (dilated && args.dims(4).size() != spatial)) {
    value_error(args.op(), ": stride ", stride, " and padding ", padding, " do not fit a kernel of ", kernel,
                "; need a stride, a dilation and a pair of paddings for each dimension");
  }
  require_at_least(args, "kernel", kernel, 1);
  require_at_least(args, "stride", stride, 1);
  require_at_least(args, "padding", padding, 0);
  if (dilated) require_at_least(args, "dilation", args.dims(4), 1);
  Shape shape = in;
  for (size_t s = 0; s < spatial; ++s) {
    const Dim dilation = dilated ? args.dims(4)[s] : Dim(1);
    const Dim size = in[in.size() - spatial + s];
    const Dim reach = dilation * (kernel[s] - 1) + 1;
    const Dim before = padding[2 * s];
    for (const Dim pad : {before, padding[2 * s + 1]}) {
      if (pad.known() && reach.known() && pad.value() >= reach.value()) {
        value_error(args.op(), ": padding is ", padding, " and the kernel ", kernel,
                    "; a window must not lie wholly in "
                    "the padding");
      }
    }
    Dim count = window_count(size, before + padding[2 * s + 1] + (ceil ? stride[s] - 1 : Dim(0)), kernel[s],
                             stride[s], dilation);
    // A last, partial window starts inside the image or its front padding.
    if (ceil) count = min(count, floor_div(size + before - 1, stride[s]) + 1);
    if (count.known() && count.value() < 1) {
      value_error(args.op(), ": a kernel of ", kernel, " is larger than the padded input of shape ", in);
    }
    shape[in.size() - spatial + s] = count;
  }
  return shape;
}

Dims last_sizes(const Value& x, size_t spatial) { return Dims(x->shape.end() - spatial, x->shape.end()); }

/// Of an operator whose attribute at `at` may say that channels are last: the sizes of its first argument.
Dims window_sizes(const GradCall& g, size_t at, size_t spatial) {
  const Shape& shape = g.in(0).shape;
  const size_t channels = g.flag(at) ? 1 : 0;
  return Dims(shape.end() - spatial - channels, shape.end() - channels);
}

/// The gradient of values that were read from known positions of each plane.
void back_to_places(GradCall& g, const Value& places) {
  g.set(0, unpool(g.grad(), places, window_sizes(g, 6, g.dims(1).size()), true, g[6]));
}

/// Any leading dimensions; with channels last, slices are more images.
template <size_t ChannelsLast, size_t... Tensors>
void pooled_slices(const BatchCall& call, ValueList& results) {
  return call.flag(ChannelsLast) ? batch::folded<Tensors...>(call, results) : batch::leading(call, results);
}

/// Returns whether images have a form with channels last and the windows span their sizes, given at
/// `windows`.
bool spans_sizes(const LayoutCall& call, size_t windows) {
  return layout::is_float32(call) && call.has_channels_last(call.value(0)) &&
         call.dims(windows).size() + 2 == call.in(0).shape.size();
}
bool pools_sizes(LayoutCall& call) { return spans_sizes(call, 1); }

/// The mean over all sizes is a reduction.
bool global_mean(LayoutCall& call) {
  const Dims& sizes = call.dims(1);
  const bool global = std::ranges::all_of(sizes, [](Dim size) { return size == Dim(1); });
  const Value& image = call.value(0);
  if (!call.has_channels_last(image) || !global || sizes.size() + 2 != image->shape.size()) return false;
  Dims axes;
  for (size_t i = 1; i <= sizes.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  call.set_channels_last(0, mean(call.channels_last(image), axes, true));
  return true;
}

Shape adapted(const Arguments& args) {
  const Shape& in = args.in(0).shape;
  const Dims& wanted = args.dims(1);
  if (in.size() <= wanted.size() || wanted.empty() || wanted.size() > 3) {
    value_error(args.op(), ": input has shape ", in, "; an output of ", wanted, " needs ", wanted.size() + 1,
                " or ", wanted.size() + 2, " dimensions");
  }
  Shape shape(in.begin(), in.end() - wanted.size());
  for (size_t s = 0; s < wanted.size(); ++s) {
    const Dim size = in[in.size() - wanted.size() + s];
    if (size == Dim(0) || (wanted[s].known() && wanted[s].value() < 1)) {
      value_error(args.op(), ": input has shape ", in, " and the output size is ", wanted,
                  "; all must be at least 1");
    }
    shape.push_back(wanted[s]);
  }
  return shape;
}

/// The shape of a gradient's result: the leading dimensions of the gradient and the sizes at argument `at`.
Shape with_sizes(const Arguments& args, size_t at) {
  const Dims& sizes = args.dims(at);
  const Shape& from = args.in(0).shape;
  if (from.size() <= sizes.size() || sizes.empty() || sizes.size() > 3) {
    value_error(args.op(), ": gradient has shape ", from, "; need more dimensions than sizes ", sizes,
                ", of which there are 1 to 3");
  }
  require_at_least(args, "sizes", sizes, 0);
  Shape shape(from.begin(), from.end() - sizes.size());
  for (Dim d : sizes) shape.push_back(d);
  return shape;
}

/// The elements of planes at given positions.
Value values_at(const Value& planes, const Value& places, size_t spatial) {
  const Shape lead(places->shape.begin(), places->shape.end() - spatial);
  Shape flat = lead;
  flat.push_back(size_of(Shape(planes->shape.end() - spatial, planes->shape.end())));
  Shape flat_places = lead;
  flat_places.push_back(size_of(Shape(places->shape.end() - spatial, places->shape.end())));
  return reshape(gather_elements(reshape(planes, flat), -1, reshape(places, flat_places)), places->shape);
}

void infer_max_pool(const Arguments& args, Results& results) {
  results.add(float_dtype(args), pooled(args, args.in(0).shape, true, args.flag(5)));
}

void infer_max_pool_with_places(const Arguments& args, Results& results) {
  infer_max_pool(args, results);
  results.add(DType::kInt64, Shape(results[0].shape));
}

void infer_average_pool(const Arguments& args, Results& results) {
  results.add(float_dtype(args), pooled(args, args.in(0).shape, false, args.flag(4)));
}

void infer_average_pool_gradient(const Arguments& args, Results& results) {
  const Shape shape = with_sizes(args, 7);
  if (args.dims(1).size() != args.dims(7).size()) {
    value_error(args.op(), ": sizes ", args.dims(7), " do not fit a kernel of ", args.dims(1));
  }
  const Shape windows = pooled(args, shape, false, args.flag(4));
  for (size_t i = 0; i < windows.size(); ++i) {
    const Dim given = args.in(0).shape[i];
    if (given.known() && windows[i].known() && given != windows[i]) {
      value_error(args.op(), ": gradient has shape ", args.in(0).shape, "; pooling ", shape, " gives ",
                  windows);
    }
  }
  results.add(float_dtype(args), shape);
}

void infer_unpool(const Arguments& args, Results& results) {
  const ValueImpl& x = args.in(0);
  const Dims& sizes = args.dims(2);
  if (!(x.shape == args.in(1).shape) || x.shape.size() < sizes.size() || sizes.empty()) {
    value_error(args.op(), ": input has shape ", x.shape, " and indices ", args.in(1).shape,
                "; need the same shape with at least ", sizes.size(), " dimensions");
  }
  if (!is_int(args.in(1).dtype)) {
    type_error(args.op(), ": indices have dtype ", args.in(1).dtype, "; accepted are integers");
  }
  Shape shape(x.shape.begin(), x.shape.end() - sizes.size());
  for (Dim d : sizes) {
    if (d.known() && d.value() < 0)
      value_error(args.op(), ": output sizes are ", sizes, "; need no negative one");
    shape.push_back(d);
  }
  results.add(x.dtype, shape);
}

}  // namespace

DYAD_OP(
    "max_pool(input: Tensor, kernel: ints, stride: ints, padding: ints, dilation: ints, ceil_mode: bool, "
    "channels_last: bool=False) -> Tensor")
    .doc("The largest element of each window over the last dimensions; padding is a pair per dimension.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      layout::infer_channels_last(args, 6, 1, infer_max_pool, results);
    })
    .grad([](GradCall& g) {
      back_to_places(g, max_pool_with_places.all(g[0], g[1], g[2], g[3], g[4], g[5], g[6])[1]);
    })
    .batch(pooled_slices<6, 0>)
    .channels_last({0}, {0}, pools_sizes)
    .prefers_channels_last()
    .included_in("max_pool_with_places")
    .cost(cost::windows)
    .numpy(
        "ref.max_pool(input, kernel, stride, padding, dilation, ceil_mode, channels_last=channels_last)[0]")
    .samples(
        "call(T(1, 2, 5, 4), kernel=(3, 2), stride=(2, 2), padding=(1, 1, 0, 1), dilation=(1, 1), "
        "ceil_mode=False, "
        "dtypes='float')",
        "call(T(2, 3, 9), kernel=(3,), stride=(2,), padding=(1, 1), dilation=(2,), ceil_mode=True)",
        "call(strided(T(1, 2, 4, 5, 6)), kernel=(2, 2, 2), stride=(1, 2, 2), padding=(0, 0, 0, 0, 0, 0), "
        "dilation=(1, 1, 1), ceil_mode=True)",
        "call(T(0, 3, 4, 4), kernel=(2, 2), stride=(2, 2), padding=(0, 0, 0, 0), dilation=(1, 1), "
        "ceil_mode=False)",
        "call(F(2, 5, 4, 3), kernel=(3, 2), stride=(2, 2), padding=(1, 1, 0, 1), dilation=(1, 1), "
        "ceil_mode=False, channels_last=True, dtypes='float32')",
        "call(F(2, 9, 20), kernel=(3,), stride=(2,), padding=(1, 1), dilation=(2,), ceil_mode=True, "
        "channels_last=True, dtypes='float32')")
    .rejects("dyad._core.named_op('max_pool')(ones(1, 2, 3), 3, 1, (0, 0), 1, False, True)", "ValueError",
             "max_pool: a kernel of (3,) is larger than the padded input")
    .rejects("ops.max_pool2d(ones(1, 1, 2, 2), 3)", "ValueError", "is larger than the padded input")
    .rejects("ops.max_pool2d(ints(1, 1, 4, 4), 2)", "TypeError", "max_pool2d: the dtype");

DYAD_OP(
    "max_pool_with_places(input: Tensor, kernel: ints, stride: ints, padding: ints, dilation: ints, "
    "ceil_mode: bool, channels_last: bool=False) -> (Tensor, Tensor)")
    .doc("The largest element of each window, and where in its plane it stands.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      layout::infer_channels_last(args, 6, 1, infer_max_pool_with_places, results);
    })
    .grad([](GradCall& g) { back_to_places(g, g.out(1)); })
    .batch(pooled_slices<6, 0>)
    .channels_last({0}, {0, 1}, pools_sizes)
    .cost(cost::windows)
    .numpy("ref.max_pool(input, kernel, stride, padding, dilation, ceil_mode, channels_last=channels_last)")
    .samples(
        "call(T(2, 3, 7, 6), kernel=(3, 2), stride=(2, 2), padding=(1, 1, 0, 1), dilation=(1, 1), "
        "ceil_mode=False)",
        "call(T(2, 9), kernel=(3,), stride=(2,), padding=(1, 1), dilation=(2,), ceil_mode=True, "
        "dtypes='float')",
        "call(F(2, 7, 6, 3), kernel=(3, 2), stride=(2, 2), padding=(1, 1, 0, 1), dilation=(1, 1), "
        "ceil_mode=False, channels_last=True, dtypes='float32')",
        "call(F(2, 9, 20), kernel=(3,), stride=(2,), padding=(1, 1), dilation=(2,), ceil_mode=True, "
        "channels_last=True, dtypes='float32')")
    .rejects("dyad._core.named_op('max_pool_with_places')(ones(1, 3), 3, 1, (0, 0), 1, False, True)",
             "ValueError", "max_pool_with_places: input has shape (1, 3)")
    .rejects("ops.max_pool2d(ones(1, 1, 4, 4), 2, padding=2)", "ValueError",
             "must not lie wholly in the padding");

DYAD_OP(
    "average_pool(input: Tensor, kernel: ints, stride: ints, padding: ints, ceil_mode: bool, "
    "count_include_pad: bool, divisor: int, channels_last: bool=False) -> Tensor")
    .doc(
        "The mean of each window over the last dimensions; a divisor other than 0 takes the place of the "
        "count.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      layout::infer_channels_last(args, 7, 1, infer_average_pool, results);
    })
    .linear()
    .grad([](GradCall& g) {
      g.set(0, average_pool_gradient(g.grad(), g[1], g[2], g[3], g[4], g[5], g[6],
                                     window_sizes(g, 7, g.dims(1).size()), g[7]));
    })
    .batch(pooled_slices<7, 0>)
    .channels_last({0}, {0}, pools_sizes)
    .prefers_channels_last()
    .cost(cost::windows)
    .numpy(
        "ref.average_pool(input, kernel, stride, padding, ceil_mode, count_include_pad, divisor, "
        "channels_last=channels_last)")
    .samples(
        "call(T(1, 2, 5, 4), kernel=(3, 2), stride=(2, 2), padding=(1, 1, 0, 1), ceil_mode=False, "
        "count_include_pad=True, divisor=0, dtypes='float')",
        "call(T(2, 3, 8), kernel=(3,), stride=(2,), padding=(1, 1), ceil_mode=True, count_include_pad=False, "
        "divisor=0)",
        "call(T(2, 4, 4, 4), kernel=(2, 2, 2), stride=(2, 2, 2), padding=(0, 0, 0, 0, 0, 0), ceil_mode=True, "
        "count_include_pad=True, divisor=5)",
        "call(F(2, 5, 4, 3), kernel=(3, 2), stride=(2, 2), padding=(1, 1, 0, 1), ceil_mode=False, "
        "count_include_pad=True, divisor=0, channels_last=True, dtypes='float32')",
        "call(F(2, 8, 20), kernel=(3,), stride=(2,), padding=(1, 1), ceil_mode=True, "
        "count_include_pad=False, divisor=0, channels_last=True, dtypes='float32')",
        "call(F(1, 4, 4, 2), kernel=(2, 2), stride=(2, 2), padding=(0, 0, 0, 0), ceil_mode=True, "
        "count_include_pad=True, divisor=5, channels_last=True, dtypes='float32')")
    .rejects("ops.avg_pool2d(ones(4, 4), 2)", "ValueError", "avg_pool2d: input has shape (4, 4)");

DYAD_OP(
    "average_pool_gradient(gradient: Tensor, kernel: ints, stride: ints, padding: ints, ceil_mode: bool, "
    "count_include_pad: bool, divisor: int, sizes: ints, channels_last: bool=False) -> Tensor")
    .doc("Spreads each element evenly over the window it is the mean of.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      layout::infer_channels_last(args, 8, 1, infer_average_pool_gradient, results);
    })
    .linear()
    .grad([](GradCall& g) { g.set(0, average_pool(g.grad(), g[1], g[2], g[3], g[4], g[5], g[6], g[8])); })
    .batch(pooled_slices<8, 0>)
    .channels_last({0}, {0}, pools_sizes)
    .cost(cost::spread_windows)
    .numpy(
        "ref.average_pool_gradient(gradient, kernel, stride, padding, ceil_mode, count_include_pad, divisor, "
        "sizes, channels_last=channels_last)")
    .samples(
        "call(T(2, 3, 4, 4), kernel=(3, 2), stride=(2, 2), padding=(1, 1, 0, 1), ceil_mode=False, "
        "count_include_pad=True, divisor=0, sizes=(7, 7))",
        "call(F(2, 4, 4, 3), kernel=(3, 2), stride=(2, 2), padding=(1, 1, 0, 1), ceil_mode=False, "
        "count_include_pad=True, divisor=0, sizes=(7, 7), channels_last=True, dtypes='float32')")
    .rejects("ops.avg_pool1d(ones(1, 2, 3), 4)", "ValueError", "is larger than the padded input")
    .rejects(
        "dyad._core.named_op('average_pool_gradient')(ones(1, 9, 1), 2, 1, (0, 0), False, True, 0, 4, True)",
        "ValueError", "average_pool_gradient: gradient has shape")
    .rejects("dyad._core.named_op('average_pool_gradient')(ones(1, 9), 2, 1, (0, 0), False, True, 0, 4)",
             "ValueError", "gradient has shape (1, 9); pooling (1, 4) gives (1, 3)")
    .rejects("dyad._core.named_op('average_pool_gradient')(ones(1, 3), 2, 0, (0, 0), False, True, 0, 4)",
             "ValueError", "stride is (0,); each number must be at least 1");

DYAD_OP("adaptive_max_pool(input: Tensor, output_size: ints) -> (Tensor, Tensor)")
    .doc(
        "The largest element of each of `output_size` even parts of the last dimensions, and where it "
        "stands.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      const Shape shape = adapted(args);
      results.add(float_dtype(args), shape);
      results.add(DType::kInt64, shape);
    })
    .grad([](GradCall& g) {
      g.set(0, unpool(g.grad(), g.out(1), last_sizes(g.value(0), g.dims(1).size()), true));
    })
    .batch(batch::leading)
    .cost(1)
    .numpy("ref.adaptive_max_pool(input, output_size)")
    .samples("call(T(1, 2, 5, 4), output_size=(3, 3), dtypes='float')", "call(T(2, 5), output_size=(7,))")
    .rejects("ops.adaptive_max_pool2d(ones(2, 3), (2, 2))", "ValueError",
             "adaptive_max_pool2d: input has shape (2, 3)");

DYAD_OP("adaptive_average_pool(input: Tensor, output_size: ints) -> Tensor")
    .doc("The mean of each of `output_size` even parts of the last dimensions.")
    .hidden()
    .infer([](const Arguments& args, Results& results) { results.add(float_dtype(args), adapted(args)); })
    .linear()
    .grad([](GradCall& g) {
      g.set(0, adaptive_average_pool_gradient(g.grad(), last_sizes(g.value(0), g.dims(1).size())));
    })
    .batch(batch::leading)
    .channels_last(global_mean)
    .cost(1)
    .numpy("ref.adaptive_avg_pool(input, output_size)")
    .samples("call(T(1, 2, 5, 4), output_size=(3, 3), dtypes='float')", "call(T(2, 5), output_size=(7,))",
             "call(strided(T(2, 3, 4, 5)), output_size=(1, 2, 3))")
    .rejects("ops.adaptive_avg_pool2d(ones(1, 2, 3, 3), (0, 2))", "ValueError", "all must be at least 1");

DYAD_OP("adaptive_average_pool_gradient(gradient: Tensor, sizes: ints) -> Tensor")
    .doc("Spreads each element evenly over the part it is the mean of.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      const Shape shape = with_sizes(args, 1);
      for (size_t i = shape.size() - args.dims(1).size(); i < shape.size(); ++i) {
        if (args.in(0).shape[i] == Dim(0) || shape[i] == Dim(0)) {
          value_error(args.op(), ": gradient has shape ", args.in(0).shape, " and sizes are ", args.dims(1),
                      "; all must be at least 1");
        }
      }
      results.add(float_dtype(args), shape);
    })
    .linear()
    .grad([](GradCall& g) {
      g.set(0, adaptive_average_pool(g.grad(), last_sizes(g.value(0), g.dims(1).size())));
    })
    .batch(batch::leading)
    .cost_per_result(1)
    .numpy("ref.adaptive_avg_pool_gradient(gradient, sizes)")
    .samples("call(T(2, 3, 3, 4), sizes=(7, 6))")
    .rejects("dyad._core.named_op('adaptive_average_pool_gradient')(ones(3), (2, 2))", "ValueError",
             "need more dimensions than sizes");

DYAD_OP(
    "unpool(input: Tensor, indices: Tensor, sizes: ints, accumulate: bool, channels_last: bool=False) -> "
    "Tensor")
    .doc(
        "Planes of the given sizes that hold each element at the place its index names, and zeros elsewhere.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      layout::infer_channels_last(args, 4, 2, infer_unpool, results);
    })
    .linear()
    .grad([](GradCall& g) {
      const size_t spatial = g.dims(2).size();
      if (g.flag(4)) {
        const Dims order = layout::channels_to_front(spatial + 2);
        const Value taken = values_at(permute(g.grad(), order), permute(g.value(1), order), spatial);
        return g.set(0, permute(taken, layout::channels_to_end(spatial + 2)));
      }
      g.set(0, values_at(g.grad(), g.value(1), spatial));
    })
    .batch(pooled_slices<4, 0, 1>)
    .channels_last({0, 1}, {0},
                   [](LayoutCall& call) {
                     return spans_sizes(call, 2) && call.has_channels_last(call.value(1));
                   })
    .cost(1)
    .numpy("ref.unpool(input, indices, sizes, accumulate, channels_last=channels_last)")
    .samples("call(T(2, 3, 2, 2), V([[[[0, 2], [8, 10]]] * 3] * 2, 'int64'), sizes=(4, 4), accumulate=True)",
             "call(F(2, 2, 2, 3), V([[[[0] * 3, [2] * 3], [[8] * 3, [2] * 3]]] * 2, 'int64'), sizes=(4, 4), "
             "accumulate=True, channels_last=True, dtypes='float32')")
    .rejects("dyad._core.named_op('unpool')(ones(1, 2, 3), ints(1, 2, 2), (4,), True, True)", "ValueError",
             "unpool: input has shape")
    .rejects("ops.max_unpool2d(ones(1, 1, 2, 2), ints(1, 1, 2, 3), 2)", "ValueError",
             "max_unpool2d: input has shape");

}  // namespace dyad
