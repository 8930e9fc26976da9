#include <cmath>
#include <optional>

#include "base/error.h"
#include "kernels/cpu/draws.h"
#include "kernels/cuda/copy.h"
#include "kernels/cuda/operand.h"
#include "kernels/cuda/params/random.h"
#include "kernels/cuda/storage_suffix.h"
#include "kernels/scalar/compute_dtype.h"
#include "runtime/context.h"
#include "runtime/cuda/faults.h"
#include "runtime/cuda/launch.h"
#include "runtime/kernel.h"
#include "runtime/random_stream.h"

namespace dyad::cuda {

namespace {

/// Fills the result with draws of float32 or float64, `per` to a position of the stream.
void draw(const KernelCall& call, const char* kernel, size_t seed, double low, double span) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const int64_t per = out.dtype == DType::kFloat64 ? 2 : 4;
  const int64_t positions = (out.size() + per - 1) / per;
  const Generator::State state = reserve_stream(positions, call[seed]);
  const RandomParams p{out.data, out.size(), state.seed, state.position, low, span};
  launch(call.device().index, cat(kernel, storage_suffix(out.dtype)), cover(positions), p);
}

/// (shape, low, high, dtype, seed)
void run_uniform(const KernelCall& call) {
  draw(call, "random_uniform", 4, call.real(1), call.real(2) - call.real(1));
}

/// (shape, dtype, seed)
void run_normal(const KernelCall& call) { draw(call, "random_normal", 2, 0, 1); }

/// (shape, low, high, dtype, seed)
void run_integers(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const int64_t positions = (out.size() + 1) / 2;
  const Generator::State state = reserve_stream(positions, call[4]);
  const int64_t low = call.integer(1);
  const Ref<DeviceScratch> drawn(
      out.dtype == DType::kInt64 ? nullptr : new DeviceScratch(out.device, DType::kInt64, out.shape));
  ValueImpl& target = drawn ? static_cast<ValueImpl&>(*drawn) : out;
  const RandomIntegerParams p{
      target.data,    out.size(), state.seed,
      state.position, low,        static_cast<uint64_t>(call.integer(2)) - static_cast<uint64_t>(low)};
  launch(call.device().index, "random_integers", cover(positions), p);
  if (drawn) kernels::copy_on_device(target, out);
}

/// (input, p)
void run_dropout(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const Operand in(call.in(0), out.dtype);
  const double p = call.real(1);
  const int64_t positions = (out.size() + 3) / 4;
  const Generator::State state = Context::process().generator().reserve(static_cast<uint64_t>(positions));
  const DropoutParams params{out.data,
                             call.out(1).as<bool>(),
                             in.as(),
                             out.size(),
                             state.seed,
                             state.position,
                             static_cast<uint32_t>(std::ceil(p * 0x1p31)),
                             p < 1 ? 1 / (1 - p) : 0};
  launch(call.device().index, cat("dropout", storage_suffix(out.dtype)), cover(positions), params);
}

/// Launches a kernel that draws each element by tries, in float64.
void draw_by_tries(const KernelCall& call, const char* kernel, size_t seed, TriesParams p) {
  ValueImpl& out = call.out();
  const ComputedResult drawn(out, DType::kFloat64);
  const Generator::State state = reserve_stream(out.size() * kernels::Tries::kPositions, call[seed]);
  p.out = reinterpret_cast<double*>(drawn.data());
  p.count = out.size();
  p.seed = state.seed;
  p.position = state.position;
  launch(call.device().index, kernel, cover(p.count), p);
  drawn.store();
}

/// (shape, low, high, dtype, seed)
void run_truncated_normal(const KernelCall& call) {
  if (call.out().size() == 0) return;
  TriesParams p{};
  p.low = call.real(1);
  p.high = call.real(2);
  draw_by_tries(call, "truncated_normal", 4, p);
}

/// (shape, parameters, dtype, seed)
void draw_of_parameters(const KernelCall& call, const char* kernel) {
  if (call.out().size() == 0) return;
  const Operand parameters(call.in(1), DType::kFloat64);
  TriesParams p{};
  p.parameters = parameters.as<double>();
  p.parameter_count = parameters->size();
  p.fault = fault_place(call.device().index, call.op(), p.ticket);
  draw_by_tries(call, kernel, 3, p);
}

void run_gamma(const KernelCall& call) { draw_of_parameters(call, "standard_gamma"); }
void run_poisson(const KernelCall& call) { draw_of_parameters(call, "standard_poisson"); }

/// (weights, samples, replacement, seed)
void run_multinomial(const KernelCall& call) {
  const Operand weights(call.in(0), DType::kFloat64);
  const int device = call.device().index;
  MultinomialParams p{};
  p.weights = weights.as<double>();
  p.columns = weights->shape.back().value();
  p.rows = weights->rank() == 2 ? weights->shape[0].value() : 1;
  p.samples = call.integer(1);
  const Generator::State state = reserve_stream(p.rows * p.samples, call[3]);
  if (p.rows == 0) return;
  if (p.columns == 0) value_error(call.op(), ": the weights of row 0 sum to 0; they must sum to more than 0");
  std::optional<DeviceWorkspace> left_over;
  if (!call.flag(2)) {
    left_over.emplace(device, static_cast<size_t>(p.rows * p.columns) * sizeof(double));
    p.left_over = left_over->as<double>();
  }
  const ComputedResult drawn(call.out(), DType::kInt64);
  p.out = reinterpret_cast<int64_t*>(drawn.data());
  p.seed = state.seed;
  p.position = state.position;
  p.fault = fault_place(device, call.op(), p.ticket);
  Grid grid = cover(p.rows, 1, 1);
  grid.threads = kMultinomialThreads;
  launch(device, "multinomial", grid, p);
  drawn.store();
}

}  // namespace

DYAD_CUDA_KERNEL(random_truncated_normal, run_truncated_normal);
DYAD_CUDA_KERNEL(standard_gamma, run_gamma);
DYAD_CUDA_KERNEL(standard_poisson, run_poisson);
DYAD_CUDA_KERNEL(multinomial, run_multinomial);
DYAD_CUDA_KERNEL(random_uniform, run_uniform);
DYAD_CUDA_KERNEL(random_normal, run_normal);
DYAD_CUDA_KERNEL(random_integers, run_integers);
DYAD_CUDA_KERNEL(dropout_with_mask, run_dropout);

}  // namespace dyad::cuda
