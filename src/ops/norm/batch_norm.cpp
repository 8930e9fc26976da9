#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/layout.h"
#include "ops/neural/convolution_rules.h"
#include "ops/reduce/reduced_axes.h"
#include "types/agreement.h"

namespace dyad {

namespace {

DYAD_USE(assign, batch_norm_apply, batch_norm_train, batch_norm_train_grad, broadcast_to, cast, mean, permute,
         relu_grad, reshape, rsqrt, sum);

Value as_dtype(const Value& value, DType dtype) { return value->dtype == dtype ? value : cast(value, dtype); }

void require_channels(const Arguments& args, const ValueImpl& input, size_t at = 0) {
  infer::require_dtype(args, at, is_float(input.dtype), "floating dtypes");
  if (input.rank() < 2) {
    value_error(args.op(), ": input has shape ", input.shape,
                "; it must have samples and channels as its first dimensions");
  }
}

void require_per_channel(const Arguments& args, size_t at, std::string_view name, const ValueImpl& input,
                         bool channels_last = false) {
  const Dim channels = input.shape[layout::channel_axis(input, channels_last)];
  if (args.has(at) && !may_agree(args.in(at).shape, Shape{channels})) {
    value_error(args.op(), ": ", name, " has shape ", args.in(at).shape,
                "; it must have one number for each of ", channels, " channels");
  }
}

/// There are kernels for channels last in float32; they take more steps together with the normalization, of
/// which `step` names the argument.
void require_layout(const Arguments& args, size_t at, const ValueImpl& input, bool channels_last, bool steps,
                    std::string_view step) {
  if (channels_last) {
    infer::require_dtype(args, at, input.dtype == DType::kFloat32, "float32 where channels are last");
  } else if (steps) {
    value_error(args.op(), ": ", step, " is given; it is taken with channels_last only");
  }
}

/// A value per channel, shaped to broadcast over `input`.
Value spread_channels(const Value& value, const ValueImpl& input, bool channels_last = false) {
  const size_t axis = layout::channel_axis(input, channels_last);
  Shape shape(input.shape.size(), Dim(1));
  shape[axis] = input.shape[axis];
  return reshape(value, shape);
}

/// All axes but that of the channels.
Dims other_axes(const ValueImpl& input, bool channels_last = false) {
  const auto channels = static_cast<int64_t>(layout::channel_axis(input, channels_last));
  Dims axes;
  for (int64_t i = 0; i < input.rank(); ++i) {
    if (i != channels) axes.push_back(i);
  }
  return axes;
}

/// The gradient of the input by those of mean and variance, results 1 and 2 of batch_norm_train; empty
/// without them.
Value through_statistics(const GradCall& g) {
  if (!g.grad(1) && !g.grad(2)) return {};
  const Value& input = g.value(0);
  const bool last = g.flag(4);
  Value total;
  if (g.grad(1)) total = spread_channels(g.grad(1), *input, last);
  if (g.grad(2)) {
    const Value steep =
        (input - spread_channels(g.out(1), *input, last)) * spread_channels(g.grad(2) * 2, *input, last);
    total = total ? total + steep : steep;
  }
  Ints others;
  for (Dim axis : other_axes(*input, last)) others.push_back(axis.value());
  return as_dtype(broadcast_to(total / reduced_count(input, others), input->shape), input->dtype);
}

/// running = (1 - momentum) * running + momentum * batch
void update(const Value& running, const Value& batch, double momentum) {
  assign(running,
         as_dtype(running * (1 - momentum) + as_dtype(batch, running->dtype) * momentum, running->dtype));
}

/// The variance with the count less one as divisor, which estimates that of the distribution the batch is
/// from.
Value unbiased(const Value& variance, const Value& input) {
  Ints others;
  for (Dim axis : other_axes(*input)) others.push_back(axis.value());
  const Arg count = reduced_count(input, others);
  if (const Scalar* number = count.get<Scalar>()) {
    const double size = number->to_double();
    return size > 1 ? variance * (size / (size - 1)) : variance;
  }
  const Value size = as_dtype(*count.get<Value>(), variance->dtype);
  return variance * (size / (size - 1));
}

/// The channels of every slice are channels of their own.
void normalized_channels(const BatchCall& call, ValueList& results) {
  std::vector<Arg> args = batch::wholes(call);
  args[0] = batch::as_channels(*args[0].get<Value>());
  for (size_t i = 1; i < args.size(); ++i) {
    if (auto* value = args[i].get<Value>()) args[i] = reshape(*value, Dims{-1});
  }
  ValueList made;
  batch::apply(call, args, made);
  results.push_back(batch::from_channels(call, made[0]));
  for (size_t i = 1; i < made.size(); ++i) results.push_back(reshape(made[i], Dims{call.count(), -1}));
}

/// As one subtraction and one product for each channel.
bool applied_channels_last(LayoutCall& call) {
  if (!call.has_channels_last(call.value(0)) || !layout::is_float32(call)) return false;
  Value scale = rsqrt(call.value(2) + call[5]);
  if (call.has(3)) scale = call.value(3) * scale;
  Value made = (call.channels_last(call.value(0)) - call[1]) * scale;
  if (call.has(4)) made = made + call[4];
  call.set_channels_last(0, made);
  return true;
}

}  // namespace

DYAD_OP(
    "batch_norm(input: Tensor, running_mean: Tensor?, running_var: Tensor?, weight: Tensor?=None, bias: "
    "Tensor?=None, "
    "training: bool=False, momentum: float=0.1, eps: float=1e-5) -> Tensor")
    .doc(
        "Batch normalization of each channel (dimension 1), then scale and shift. In training μ and σ² are "
        "the batch's mean and (biased) variance and the running statistics are updated; otherwise they are "
        "the running statistics.")
    .formula("out = (input − μ) / √(σ² + eps) · weight + bias")
    .formula("running_mean ← (1 − momentum) · running_mean + momentum · μ", "training=True")
    .formula("running_var ← (1 − momentum) · running_var + momentum · σ² · n / (n − 1)", "training=True")
    .arg("input", "floats of shape (N, C, …).")
    .arg("running_mean", "of shape (C,); may be None in training.")
    .arg("running_var", "of shape (C,); may be None in training.")
    .arg("weight", "scale, of shape (C,); None: 1.")
    .arg("bias", "shift, of shape (C,); None: 0.")
    .arg("training", "whether the statistics of the batch are used.")
    .arg("momentum", "share of the batch in the running statistics.")
    .arg("eps", "added to the variance.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("nn.BatchNorm2d, ops.layer_norm")
    .reference("arXiv:1502.03167")
    .function(
        "batch_norm(input_x:input, running_mean, running_var, weight, bias, training=False, momentum=0.1, "
        "eps=1e-5)")
    .alias("running_variance", "running_var")
    .compose([](const Call& call) -> Value {
      const Value& input = call.value(0);
      require_channels(call, *input);
      require_per_channel(call, 1, "running_mean", *input);
      require_per_channel(call, 2, "running_var", *input);
      if (!call.flag(5)) {
        if (!call.has(1) || !call.has(2)) {
          value_error(call.op(),
                      ": running_mean or running_var is None; outside training both must be given");
        }
        return batch_norm_apply(input, call[1], call[2], call[3], call[4], call[7]);
      }
      const ValueList found = batch_norm_train.all(input, call[3], call[4], call[7]);
      if (call.has(1)) update(call.value(1), found[1], call.real(6));
      if (call.has(2)) update(call.value(2), unbiased(found[2], input), call.real(6));
      return found[0];
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.batch_norm(input, running_mean, running_var, weight, bias, training, eps)")
    .samples("call(T(4, 3), T(3), T(3, lo=0.5, hi=2))",
             "call(T(4, 3, 2, 5), T(3), T(3, lo=0.5, hi=2), T(3), T(3))",
             "call(T(4, 3, 2, 5), None, None, T(3), T(3), training=True, dtypes='float')",
             "call(T(6, 3), None, None, T(3), T(3), training=True)")
    .rejects("ops.batch_norm(ones(2, 3), ones(2), ones(3), ones(3), ones(3))", "ValueError",
             "batch_norm: running_mean has shape (2,)")
    .rejects("ops.batch_norm(ones(2, 3), None, None, None, None)", "ValueError",
             "batch_norm: running_mean or running_var is None");

DYAD_OP(
    "batch_norm_train(input: Tensor, weight: Tensor?=None, bias: Tensor?=None, eps: float=1e-5, "
    "channels_last: bool=False, added: Tensor?=None, rectified: bool=False) -> (Tensor, Tensor, Tensor)")
    .doc(
        "Batch normalization: normalizes each channel by its own mean and variance, and gives these too. The "
        "variance is divided "
        "by the count. With channels last it also adds `added` and takes away what is negative where that is "
        "asked for.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      const ValueImpl& input = args.in(0);
      const bool last = args.flag(4);
      require_channels(args, input);
      require_layout(args, 0, input, last, args.has(5) || args.flag(6), "added or rectified");
      require_per_channel(args, 1, "weight", input, last);
      require_per_channel(args, 2, "bias", input, last);
      if (args.has(5)) infer::require_like(args, 5, "added", input);
      const Shape channels{input.shape[layout::channel_axis(input, last)]};
      results.add(input.dtype, input.shape);
      results.add(compute_dtype(input.dtype), channels);
      results.add(compute_dtype(input.dtype), channels);
    })
    .grad([](GradCall& g) {
      const Value through = through_statistics(g);
      if (!g.grad(0)) return g.set(0, through);
      const Value output = g.flag(6) ? g.out(0) : Value();
      if (g.has(5)) g.set(5, output ? relu_grad(g.grad(0), output) : g.grad(0));
      const ValueList found =
          batch_norm_train_grad.all(g.grad(0), g.value(0), g.out(1), g.out(2), g[1], g[3], g[4], output);
      g.set(0, through ? found[0] + through : found[0]);
      if (g.has(1)) g.set(1, as_dtype(found[1], g.in(1).dtype));
      if (g.has(2)) g.set(2, as_dtype(found[2], g.in(2).dtype));
    })
    .batch([](const BatchCall& call, ValueList& results) {
      return call.flag(4) ? batch::slice_by_slice(call, results) : normalized_channels(call, results);
    })
    .channels_last({0, 5}, {0},
                   [](LayoutCall& call) {
                     return call.has_channels_last(call.value(0)) && layout::is_float32(call);
                   })
    .prefers_channels_last()
    .cost(8)
    .autocast(Autocast::kFloat32)
    .numpy("ref.batch_norm_train(input, weight, bias, eps, channels_last, added, rectified)")
    .samples("call(T(4, 3), T(3), T(3))", "call(T(4, 3, 2, 5))", "call(T(2, 3, 70), T(3), T(3))",
             "call(T(2, 3, 2), T(3), T(3))",
             "call(F(4, 3), F(3), F(3), channels_last=True, dtypes='float32')",
             "call(F(4, 5, 6, 19), channels_last=True, dtypes='float32', rectified=True)",
             "call(F(2, 70, 3), F(3), F(3), channels_last=True, dtypes='float32', added=F(2, 70, 3), "
             "rectified=True)",
             "call(strided(F(2, 7, 300)), F(300), eps=1e-3, channels_last=True, dtypes='float32', added=F(2, "
             "7, 300))")
    .rejects("dyad._core.named_op('batch_norm_train')(ones(2, 3), ones(2), channels_last=True)", "ValueError",
             "weight has shape (2,); it must have one number for each of 3 channels")
    .rejects("dyad._core.named_op('batch_norm_train')(ones(2, 3), rectified=True)", "ValueError",
             "added or rectified is given; it is taken with channels_last only")
    .rejects("dyad._core.named_op('batch_norm_train')(ones(2))", "ValueError",
             "batch_norm_train: input has shape (2,)");

DYAD_OP(
    "batch_norm_train_grad(gradient: Tensor, input: Tensor, mean: Tensor, variance: Tensor, weight: Tensor?, "
    "eps: float, channels_last: bool=False, output: Tensor?=None) -> (Tensor, Tensor, Tensor)")
    .doc(
        "Gradients of the input, weight and bias of batch normalization in training. With the output of a "
        "rectifier the gradient counts only where that is positive.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      const ValueImpl& input = args.in(1);
      const bool last = args.flag(6);
      require_channels(args, input, 1);
      require_layout(args, 1, input, last, args.has(7), "output");
      infer::require_like(args, 0, "gradient", input);
      require_per_channel(args, 2, "mean", input, last);
      require_per_channel(args, 3, "variance", input, last);
      require_per_channel(args, 4, "weight", input, last);
      if (args.has(7)) infer::require_like(args, 7, "output", input);
      const Shape channels{input.shape[layout::channel_axis(input, last)]};
      results.add(input.dtype, input.shape);
      results.add(compute_dtype(input.dtype), channels);
      results.add(compute_dtype(input.dtype), channels);
    })
    .compose([](const Call& call) -> ValueList {
      const bool last = call.flag(6);
      const Value gradient = call.has(7) ? relu_grad(call[0], call[7]) : call.value(0);
      const Value& input = call.value(1);
      const Dims others = other_axes(*input, last);
      const Value scale = rsqrt(call.value(3) + call.real(5));
      const Value wide_scale = spread_channels(scale, *input, last);
      const Value unit = (input - spread_channels(call.value(2), *input, last)) * wide_scale;
      const Value product = gradient * unit;
      Value change =
          (gradient - mean(gradient, others, true) - unit * mean(product, others, true)) * wide_scale;
      if (call.has(4)) change = change * spread_channels(call.value(4), *input, last);
      return {as_dtype(change, input->dtype), sum(product, others),
              as_dtype(sum(gradient, others), scale->dtype)};
    })
    .channels_last({0, 1, 7}, {0},
                   [](LayoutCall& call) {
                     return call.has_channels_last(call.value(1)) && layout::is_float32(call);
                   })
    .prefers_channels_last()
    .cost(11)
    .numpy("ref.batch_norm_train_grad(gradient, input, mean, variance, weight, eps, channels_last, output)")
    .samples(
        "call(T(4, 3), T(4, 3), T(3), T(3, lo=0.5, hi=2), T(3), 1e-5)",
        "call(T(4, 3, 5), T(4, 3, 5), T(3), T(3, lo=0.5, hi=2), None, 1e-5)",
        "call(F(4, 3), F(4, 3), F(3), F(3, lo=0.5, hi=2), F(3), 1e-5, channels_last=True, dtypes='float32')",
        "call(F(4, 70, 5), F(4, 70, 5), F(5), F(5, lo=0.5, hi=2), None, 1e-5, channels_last=True, "
        "dtypes='float32', "
        "output=F(4, 70, 5))")
    .rejects("dyad._core.named_op('batch_norm_train_grad')('a', ones(2, 3), ones(3), ones(3), None, 0.1)",
             "TypeError", "batch_norm_train_grad: gradient is 'a'")
    .rejects("dyad._core.named_op('batch_norm_train_grad')(ones(2, 3), ones(3), ones(3), ones(3), None, 0.1)",
             "ValueError", "batch_norm_train_grad: input has shape (3,)")
    .rejects("dyad._core.named_op('batch_norm_train_grad')(ones(2), ones(2, 3), ones(3), ones(3), None, 0.1)",
             "ValueError", "batch_norm_train_grad: gradient has shape (2,)")
    .rejects(
        "dyad._core.named_op('batch_norm_train_grad')(ones(2, 3), ones(2, 3), ones(1), ones(3), None, 0.1)",
        "ValueError", "batch_norm_train_grad: mean has shape (1,)");

DYAD_OP(
    "batch_norm_apply(input: Tensor, mean: Tensor, variance: Tensor, weight: Tensor?=None, bias: "
    "Tensor?=None, "
    "eps: float=1e-5) -> Tensor")
    .doc(
        "Batch normalization: normalizes each channel by a given mean and variance, then applies weight and "
        "bias.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      const ValueImpl& input = args.in(0);
      require_channels(args, input);
      require_per_channel(args, 1, "mean", input);
      require_per_channel(args, 2, "variance", input);
      require_per_channel(args, 3, "weight", input);
      require_per_channel(args, 4, "bias", input);
      results.add(input.dtype, input.shape);
    })
    .grad([](GradCall& g) {
      const ValueImpl& input = g.in(0);
      const Dims others = other_axes(input);
      const Value scale = rsqrt(g.value(2) + g.real(5));
      const Value gain = g.has(3) ? g.value(3) * scale : scale;
      if (g.needs(0)) g.set(0, as_dtype(g.grad() * spread_channels(gain, input), input.dtype));
      const bool weighed = g.needs(2) || (g.has(3) && g.needs(3));
      if (weighed) {
        const Value per_weight =
            sum(g.grad() * (g.value(0) - spread_channels(g.value(1), input)), others) * scale;
        const Value slope = g.has(3) ? per_weight * g.value(3) : per_weight;
        g.set(2, as_dtype(slope * scale * scale * -0.5, g.in(2).dtype));
        if (g.has(3)) g.set(3, as_dtype(per_weight, g.in(3).dtype));
      }
      if (!g.needs(1) && !(g.has(4) && g.needs(4))) return;
      const Value per_bias = sum(g.grad(), others);
      g.set(1, as_dtype(-(per_bias * gain), g.in(1).dtype));
      if (g.has(4)) g.set(4, as_dtype(per_bias, g.in(4).dtype));
    })
    .batch(normalized_channels)
    .channels_last(applied_channels_last)
    .prefers_channels_last()
    .cost(4)
    .autocast(Autocast::kFloat32)
    .numpy("ref.batch_norm(input, mean, variance, weight, bias, False, eps)")
    .samples("call(T(4, 3), T(3), T(3, lo=0.5, hi=2), T(3), T(3))",
             "call(T(2, 3, 2, 2), T(3), T(3, lo=0.5, hi=2), T(3), T(3), dtypes='float')")
    .rejects("dyad._core.named_op('batch_norm_apply')(ones(2, 3), ones(2), ones(3))", "ValueError",
             "batch_norm_apply: mean has shape (2,)");

DYAD_OP(
    "batch_norm_primitive(input: Tensor, scale: Tensor, bias: Tensor, mean: Tensor, variance: Tensor, "
    "is_training: bool=False, "
    "epsilon: float=1e-5, momentum: float=0.1, data_format: str='NCHW') -> (Tensor, Tensor, Tensor, Tensor, "
    "Tensor)")
    .doc(
        "Batch normalization of each channel, with the statistics that it used. In training μ and σ² are the "
        "batch's and `mean` and `variance` are updated.")
    .formula("out = (input − μ) / √(σ² + epsilon) · scale + bias")
    .formula("mean ← (1 − momentum) · mean + momentum · μ", "is_training=True")
    .formula("variance ← (1 − momentum) · variance + momentum · σ² · n / (n − 1)", "is_training=True")
    .arg("input", "floats of shape (N, C, …), or (N, H, W, C) with 'NHWC'.")
    .arg("scale", "of shape (C,).")
    .arg("bias", "of shape (C,).")
    .arg("mean", "running mean, of shape (C,).")
    .arg("variance", "running variance, of shape (C,).")
    .arg("is_training", "whether the statistics of the batch are used.")
    .arg("epsilon", "added to the variance.")
    .arg("momentum", "share of the batch in the running statistics.")
    .arg("data_format", "'NCHW' or 'NHWC'.")
    .returns("Tuple of the result, the mean, the variance, and both again as kept for the gradient.")
    .see("ops.batch_norm")
    .reference("arXiv:1502.03167")
    .hidden()
    .primitive(
        "BatchNorm(is_training=False, epsilon=1e-5, momentum=0.1, data_format='NCHW')"
        "(input_x:input, scale, bias, mean, variance)")
    .compose([](const Call& call) -> ValueList {
      const std::string& format = call.text(8);
      if (format != "NCHW" && format != "NHWC") {
        value_error(call.op(), ": data_format is '", format, "'; accepted are 'NCHW' and 'NHWC'");
      }
      const bool last = format == "NHWC" && call.in(0).rank() == 4;
      const Value input = last ? permute(call.value(0), Dims{0, 3, 1, 2}) : call.value(0);
      ValueList results;
      if (call.flag(5)) {
        results = batch_norm_train.all(input, call[1], call[2], call[6]);
        update(call.value(3), results[1], call.real(7));
        update(call.value(4), unbiased(results[2], input), call.real(7));
      } else {
        results = {batch_norm_apply(input, call[3], call[4], call[1], call[2], call[6]), call.value(3),
                   call.value(4)};
      }
      if (last) results[0] = permute(results[0], Dims{0, 2, 3, 1});
      results.push_back(results[1]);
      results.push_back(results[2]);
      return results;
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.batch_norm_primitive(input, scale, bias, mean, variance, is_training, epsilon)")
    .samples("call(T(4, 3), T(3), T(3), T(3), T(3, lo=0.5, hi=2))")
    .rejects("ops.BatchNorm(data_format='CHW')(ones(2, 3), ones(3), ones(3), ones(3), ones(3))", "ValueError",
             "data_format is 'CHW'");

}  // namespace dyad
