#include <cmath>

#include "base/error.h"
#include "kernels/cuda/copy.h"
#include "kernels/cuda/operand.h"
#include "kernels/cuda/params/random.h"
#include "kernels/cuda/storage_suffix.h"
#include "kernels/scalar/compute_dtype.h"
#include "runtime/context.h"
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

}  // namespace

DYAD_CUDA_KERNEL(random_uniform, run_uniform);
DYAD_CUDA_KERNEL(random_normal, run_normal);
DYAD_CUDA_KERNEL(random_integers, run_integers);
DYAD_CUDA_KERNEL(dropout_with_mask, run_dropout);

}  // namespace dyad::cuda
