#include <algorithm>

#include "base/error.h"
#include "kernels/cpu/pool_geometry.h"
#include "kernels/cuda/copy.h"
#include "kernels/cuda/operand.h"
#include "kernels/cuda/params/pool.h"
#include "kernels/cuda/storage_suffix.h"
#include "kernels/scalar/compute_dtype.h"
#include "runtime/context.h"
#include "runtime/cuda/faults.h"
#include "runtime/cuda/launch.h"
#include "runtime/kernel.h"
#include "tensor/host_route.h"

namespace dyad::cuda {

namespace {

/// Planes of `size` elements in a tensor.
int64_t planes_of(const ValueImpl& tensor, int64_t size) {
  return tensor.size() / std::max<int64_t>(1, size);
}

/// (input, kernel, stride, padding, dilation, ceil_mode, channels_last)
void run_max(const KernelCall& call) {
  ValueImpl& out = call.out(0);
  if (call.flag(6)) return run_on_host(call);  // only graphs for the CPU ask for channels innermost
  if (out.size() == 0) return;
  const Operand in(call.in(0), out.dtype);
  PoolParams p{};
  p.window = kernels::pool_window(in->shape, out.shape, call, 1, true);
  p.out = out.data;
  p.places = call.out_count() > 1 ? call.out(1).as<int64_t>() : nullptr;
  p.in = in.as();
  p.planes = planes_of(out, p.window.out_size());
  launch(call.device().index, cat("max_pool", storage_suffix(out.dtype)), cover(out.size()), p);
}

/// (input, kernel, stride, padding, ceil_mode, count_include_pad, divisor, channels_last)
void run_average(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (call.flag(7)) return run_on_host(call);
  if (out.size() == 0) return;
  const Operand in(call.in(0), out.dtype);
  PoolParams p{};
  p.window = kernels::pool_window(in->shape, out.shape, call, 1, false);
  p.out = out.data;
  p.in = in.as();
  p.planes = planes_of(out, p.window.out_size());
  p.count_padding = call.flag(5);
  p.fixed_divisor = call.integer(6);
  launch(call.device().index, cat("average_pool", storage_suffix(out.dtype)), cover(out.size()), p);
}

/// (gradient, kernel, stride, padding, ceil_mode, count_include_pad, divisor, shape, channels_last)
void run_average_grad(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (call.flag(8)) return run_on_host(call);
  if (out.size() == 0) return;
  const Operand gradient(call.in(0), out.dtype);
  PoolParams p{};
  p.window = kernels::pool_window(out.shape, gradient->shape, call, 1, false);
  p.out = out.data;
  p.in = gradient.as();
  p.planes = planes_of(out, p.window.in_size());
  p.count_padding = call.flag(5);
  p.fixed_divisor = call.integer(6);
  launch(call.device().index, cat("average_pool_grad", storage_suffix(out.dtype)), cover(out.size()), p);
}

/// (input, places, sizes, accumulate, channels_last)
void run_unpool(const KernelCall& call) {
  ValueImpl& out = call.out();
  const bool adds = call.flag(3);
  const DType computed = compute_dtype(out.dtype);
  const bool known = computed == DType::kFloat32 || computed == DType::kFloat64;
  if (call.flag(4) || !known || (adds && Context::process().deterministic())) return run_on_host(call);
  const Ref<DeviceScratch> wide(computed == out.dtype ? nullptr
                                                      : new DeviceScratch(out.device, computed, out.shape));
  ValueImpl& target = wide ? static_cast<ValueImpl&>(*wide) : out;
  fill_zeros(call.device().index, target.data, target.size() * itemsize(computed));
  const Operand in(call.in(0), computed);
  const Operand places(call.in(1), DType::kInt64);
  UnpoolParams p{};
  p.room = 1;
  for (Dim size : call.dims(2)) p.room *= size.value();
  p.planes = p.room == 0 ? 1 : std::max<int64_t>(1, out.size() / p.room);
  p.count = in->size() / p.planes;
  p.out = target.data;
  p.in = in.as();
  p.places = places.as<int64_t>();
  p.fault = fault_place(call.device().index, call.op(), p.ticket);
  if (p.count > 0) {
    launch(call.device().index, cat(adds ? "unpool_add" : "unpool_write", storage_suffix(computed)),
           cover(in->size()), p);
  }
  if (wide) kernels::copy_on_device(target, out);
}

AdaptivePoolParams parts_of(const Shape& in, const Shape& out, size_t spatial) {
  AdaptivePoolParams p{};
  std::fill_n(p.in_size, 3, 1);
  std::fill_n(p.out_size, 3, 1);
  for (size_t i = 0; i < spatial; ++i) {
    p.in_size[3 - spatial + i] = in[in.size() - spatial + i].value();
    p.out_size[3 - spatial + i] = out[out.size() - spatial + i].value();
  }
  return p;
}

/// (input, sizes)
void run_adaptive(const KernelCall& call, const char* kernel) {
  ValueImpl& out = call.out();
  if (out.size() == 0 || call.in(0).size() == 0) return run_on_host(call);
  const Operand in(call.in(0), out.dtype);
  AdaptivePoolParams p = parts_of(in->shape, out.shape, call.dims(1).size());
  p.out = out.data;
  p.places = call.out_count() > 1 ? call.out(1).as<int64_t>() : nullptr;
  p.in = in.as();
  p.planes = planes_of(out, p.out_size[0] * p.out_size[1] * p.out_size[2]);
  launch(call.device().index, cat(kernel, storage_suffix(out.dtype)), cover(out.size()), p);
}
void run_adaptive_average(const KernelCall& call) { run_adaptive(call, "adaptive_average"); }
void run_adaptive_max(const KernelCall& call) { run_adaptive(call, "adaptive_max"); }

/// (gradient, sizes): the result has the shape of the image.
void run_adaptive_average_grad(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0 || call.in(0).size() == 0) return run_on_host(call);
  const Operand gradient(call.in(0), out.dtype);
  AdaptivePoolParams p = parts_of(out.shape, gradient->shape, call.dims(1).size());
  p.out = out.data;
  p.in = gradient.as();
  p.planes = planes_of(out, p.in_size[0] * p.in_size[1] * p.in_size[2]);
  launch(call.device().index, cat("adaptive_average_grad", storage_suffix(out.dtype)), cover(out.size()), p);
}

}  // namespace

DYAD_CUDA_KERNEL(max_pool, run_max);
DYAD_CUDA_KERNEL(max_pool_with_places, run_max);
DYAD_CUDA_KERNEL(average_pool, run_average);
DYAD_CUDA_KERNEL(average_pool_gradient, run_average_grad);
DYAD_CUDA_KERNEL(unpool, run_unpool);
DYAD_CUDA_KERNEL(adaptive_average_pool, run_adaptive_average);
DYAD_CUDA_KERNEL(adaptive_max_pool, run_adaptive_max);
DYAD_CUDA_KERNEL(adaptive_average_pool_gradient, run_adaptive_average_grad);

}  // namespace dyad::cuda
