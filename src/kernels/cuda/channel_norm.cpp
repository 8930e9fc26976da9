#include <algorithm>

#include "base/error.h"
#include "kernels/cuda/operand.h"
#include "kernels/cuda/params/norm.h"
#include "kernels/cuda/storage_suffix.h"
#include "kernels/scalar/compute_dtype.h"
#include "runtime/cuda/launch.h"
#include "runtime/kernel.h"
#include "tensor/host_route.h"

namespace dyad::cuda {

namespace {

constexpr int64_t kWantedBlocks = 132 * 8;
constexpr int64_t kLeastPart = 1024;

/// The input as (samples, channels, places), and how many parts a channel is cut into.
ChannelNormParams shape_of(const ValueImpl& input) {
  ChannelNormParams p{};
  p.samples = input.shape[0].value();
  p.channels = input.shape[1].value();
  p.places = 1;
  for (size_t i = 2; i < input.shape.size(); ++i) p.places *= input.shape[i].value();
  const int64_t most = std::max<int64_t>(p.samples * p.places / kLeastPart, 1);
  p.chunks = std::clamp<int64_t>(kWantedBlocks / std::max<int64_t>(p.channels, 1), 1, most);
  return p;
}

Grid grid_of(const ChannelNormParams& p) {
  Grid grid;
  grid.x = static_cast<unsigned>(p.channels);
  grid.y = static_cast<unsigned>(p.chunks);
  grid.threads = 256;
  return grid;
}

class Parameter {
 public:
  Parameter(const KernelCall& call, size_t at, DType dtype) {
    if (call.has(at)) held_.emplace(call.in(at), dtype);
  }
  const void* data() const { return held_ ? held_->as() : nullptr; }

 private:
  std::optional<Operand> held_;
};

size_t partial_bytes(const ChannelNormParams& p) {
  return static_cast<size_t>(p.channels * p.chunks * 2) * sizeof(double);
}

/// (input, weight, bias, epsilon, channels_last, added, rectified) -> (output, mean, variance)
void run_train(const KernelCall& call) {
  if (call.flag(4)) return run_on_host(call);  // only graphs for the CPU ask for channels innermost
  const ValueImpl& input = call.in(0);
  const DType computed = compute_dtype(input.dtype);
  ChannelNormParams p = shape_of(input);
  if (input.size() == 0) return run_on_host(call);
  const int device = call.device().index;
  const Operand in(input);
  const Parameter weight(call, 1, computed);
  const Parameter bias(call, 2, computed);
  const DeviceWorkspace partial(device, partial_bytes(p));
  p.in = in.as();
  p.weight = weight.data();
  p.bias = bias.data();
  p.epsilon = call.real(3);
  p.partial = partial.as<double>();
  p.out = call.out(0).data;
  p.means = call.out(1).data;
  p.variances = call.out(2).data;
  launch(device, cat("channel_moments", storage_suffix(input.dtype)), grid_of(p), p);
  launch(device, cat("channel_norm_train", storage_suffix(input.dtype)), grid_of(p), p);
}

/// (input, mean, variance, weight, bias, epsilon) -> output
void run_apply(const KernelCall& call) {
  const ValueImpl& input = call.in(0);
  if (input.size() == 0) return;
  const DType computed = compute_dtype(input.dtype);
  ChannelNormParams p = shape_of(input);
  const Operand in(input);
  const Operand mean(call.in(1), computed);
  const Operand variance(call.in(2), computed);
  const Parameter weight(call, 3, computed);
  const Parameter bias(call, 4, computed);
  p.in = in.as();
  p.mean = mean.as();
  p.variance = variance.as();
  p.weight = weight.data();
  p.bias = bias.data();
  p.epsilon = call.real(5);
  p.out = call.out().data;
  launch(call.device().index, cat("channel_norm_apply", storage_suffix(input.dtype)), grid_of(p), p);
}

/// (gradient, input, mean, variance, weight, epsilon, channels_last, output) -> gradients of input, weight,
/// bias
void run_grad(const KernelCall& call) {
  const ValueImpl& input = call.in(1);
  if (call.flag(6) || input.size() == 0) return run_on_host(call);
  const DType computed = compute_dtype(input.dtype);
  ChannelNormParams p = shape_of(input);
  const int device = call.device().index;
  const Operand gradient(call.in(0), input.dtype);
  const Operand in(input);
  const Operand mean(call.in(2), computed);
  const Operand variance(call.in(3), computed);
  const Parameter weight(call, 4, computed);
  const DeviceWorkspace partial(device, partial_bytes(p));
  p.gradient = gradient.as();
  p.in = in.as();
  p.mean = mean.as();
  p.variance = variance.as();
  p.weight = weight.data();
  p.epsilon = call.real(5);
  p.partial = partial.as<double>();
  p.out = call.out(0).data;
  p.weight_out = call.out(1).data;
  p.bias_out = call.out(2).data;
  launch(device, cat("channel_gradient_moments", storage_suffix(input.dtype)), grid_of(p), p);
  launch(device, cat("channel_norm_grad", storage_suffix(input.dtype)), grid_of(p), p);
}

}  // namespace

DYAD_CUDA_KERNEL(batch_norm_train, run_train);
DYAD_CUDA_KERNEL(batch_norm_apply, run_apply);
DYAD_CUDA_KERNEL(batch_norm_train_grad, run_grad);

}  // namespace dyad::cuda
