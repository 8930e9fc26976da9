#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "types/agreement.h"

namespace dyad {

namespace {

DYAD_USE(group_norm, normalize_rows, reshape);

void require_per_channel(const Call& call, size_t at, std::string_view name) {
  const Shape& shape = call.in(0).shape;
  if (call.has(at) && !same_shape(call.in(at).shape, Shape{shape[1]})) {
    value_error(call.op(), ": ", name, " has shape ", call.in(at).shape,
                "; it must have one number for each of ", shape[1], " channels");
  }
}

Value spread_channels(const Value& value, const Shape& shape) {
  Shape wide(shape.size(), Dim(1));
  wide[1] = shape[1];
  return reshape(value, wide);
}

}  // namespace

DYAD_OP(
    "group_norm(input: Tensor, num_groups: int, weight: Tensor?=None, bias: Tensor?=None, eps: float=1e-5) "
    "-> Tensor")
    .doc(
        "Group normalization: each sample is normalized over groups of neighboring channels, then scaled and "
        "shifted per channel. μ and σ² are mean and variance of the group.")
    .formula("out = (input − μ) / √(σ² + eps) · weight + bias")
    .arg("input", "floats of shape (N, C, …).")
    .arg("num_groups", "number of groups, a divisor of C.")
    .arg("weight", "scale, of shape (C,); None: 1.")
    .arg("bias", "shift, of shape (C,); None: 0.")
    .arg("eps", "added to the variance.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("nn.GroupNorm, ops.layer_norm")
    .reference("arXiv:1803.08494")
    .compose_wide([](const Call& call) -> Value {
      const ValueImpl& input = call.in(0);
      const int64_t groups = call.integer(1);
      if (input.rank() < 2) {
        value_error(call.op(), ": input has shape ", input.shape,
                    "; it must have samples and channels as its first dimensions");
      }
      const Dim channels = input.shape[1];
      if (groups <= 0 || (channels.known() && channels.value() % groups != 0)) {
        value_error(call.op(), ": ", channels, " channels do not fall into ", groups,
                    " groups; num_groups must divide them");
      }
      require_per_channel(call, 2, "weight");
      require_per_channel(call, 3, "bias");
      Dim size = floor_div(channels, groups);
      for (size_t i = 2; i < input.shape.size(); ++i) size = size * input.shape[i];
      const Value grouped = reshape(call.value(0), Dims{input.shape[0], groups, size});
      Value result = reshape(normalize_rows.all(grouped, 2, nullptr, nullptr, call[4])[0], input.shape);
      if (call.has(2)) result = result * spread_channels(call.value(2), input.shape);
      if (call.has(3)) result = result + spread_channels(call.value(3), input.shape);
      return result;
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.group_norm(input, num_groups, weight, bias, eps)")
    .samples("call(T(2, 6, 4), 3)", "call(T(2, 4, 3, 5), 2, T(4), T(4), dtypes='float')", "call(T(3, 4), 1)")
    .rejects("ops.group_norm(ones(2, 6), 4)", "ValueError",
             "group_norm: 6 channels do not fall into 4 groups");

DYAD_OP("instance_norm(input: Tensor, weight: Tensor?=None, bias: Tensor?=None, eps: float=1e-5) -> Tensor")
    .doc(
        "Instance normalization: each channel of each sample is normalized, then scaled and shifted per "
        "channel. μ and σ² are mean and variance of the channel.")
    .formula("out = (input − μ) / √(σ² + eps) · weight + bias")
    .arg("input", "floats of shape (N, C, d₁, …).")
    .arg("weight", "scale, of shape (C,); None: 1.")
    .arg("bias", "shift, of shape (C,); None: 0.")
    .arg("eps", "added to the variance.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("nn.InstanceNorm2d, ops.group_norm")
    .reference("arXiv:1607.08022")
    .compose_wide([](const Call& call) -> Value {
      const ValueImpl& input = call.in(0);
      if (input.rank() < 3) {
        value_error(call.op(), ": input has shape ", input.shape,
                    "; it must have samples, channels and places");
      }
      require_per_channel(call, 1, "weight");
      require_per_channel(call, 2, "bias");
      Value result = normalize_rows.all(call.value(0), 2, nullptr, nullptr, call[3])[0];
      if (call.has(1)) result = result * spread_channels(call.value(1), input.shape);
      if (call.has(2)) result = result + spread_channels(call.value(2), input.shape);
      return result;
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.group_norm(input, input.shape[1], weight, bias, eps)")
    .samples("call(T(2, 3, 4))", "call(T(2, 3, 4, 5), T(3), T(3))")
    .rejects("ops.instance_norm(ones(2, 6))", "ValueError", "instance_norm: input has shape (2, 6)");

}  // namespace dyad
