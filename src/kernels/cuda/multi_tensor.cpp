// Norm, scale and finiteness of all gradients of a network, in a few launches.

#include <vector>

#include "base/error.h"
#include "kernels/cuda/copy.h"
#include "kernels/cuda/operand.h"
#include "kernels/cuda/params/multi_tensor.h"
#include "kernels/cuda/storage_suffix.h"
#include "runtime/cuda/launch.h"
#include "runtime/kernel.h"
#include "tensor/host_route.h"

namespace dyad::cuda {

namespace {

/// Whether all tensors are floats of one dtype that lie in one piece.
bool alike(const ValueList& tensors) {
  for (const Value& value : tensors) {
    if (value->dtype != tensors[0]->dtype || !value->contiguous()) return false;
  }
  return !tensors.empty() && is_float(tensors[0]->dtype);
}

int64_t blocks_of(const Value& tensor) { return (tensor->size() + kManyElements - 1) / kManyElements; }

/// Runs a kernel over all tensors, so many at a time as a launch takes. `sums`, where it is not null, has
/// room for a number of each block.
void for_many(const KernelCall& call, const char* kernel, MultiTensorParams p, double* sums) {
  const ValueList& tensors = call.values(0);
  p.tensors = 0;
  p.sums = sums;
  for (size_t i = 0; i < tensors.size(); ++i) {
    p.in[p.tensors] = tensors[i]->data;
    p.out[p.tensors] = call.out_count() == tensors.size() ? call.out(i).data : nullptr;
    p.count[p.tensors] = tensors[i]->size();
    p.first_block[p.tensors + 1] = p.first_block[p.tensors] + static_cast<uint32_t>(blocks_of(tensors[i]));
    if (++p.tensors < kManyTensors && i + 1 < tensors.size()) continue;
    Grid grid;
    grid.x = p.first_block[p.tensors];
    if (grid.x > 0) launch(call.device().index, cat(kernel, storage_suffix(tensors[0]->dtype)), grid, p);
    if (p.sums) p.sums += grid.x;
    p.tensors = 0;
  }
}

/// (x: Tensors) → Σ x²
void run_square_sum(const KernelCall& call) {
  if (!alike(call.values(0))) return run_on_host(call);
  const int device = call.device().index;
  int64_t blocks = 0;
  for (const Value& tensor : call.values(0)) blocks += blocks_of(tensor);
  const DeviceWorkspace sums(device, static_cast<size_t>(blocks) * sizeof(double));
  for_many(call, "many_square_sum", {}, sums.as<double>());
  const TotalParams total{sums.as<double>(), blocks, call.out().data, call.out().dtype == DType::kFloat64};
  launch(device, "add_totals", {.threads = 1024}, total);
}

/// (x: Tensors, factor)
void run_scale(const KernelCall& call) {
  if (!alike(call.values(0))) return run_on_host(call);
  const Operand factor(call.in(1), DType::kFloat64);
  MultiTensorParams p{};
  p.factor = factor.as<double>();
  for_many(call, "many_scale", p, nullptr);
}

/// (x: Tensors) → whether no element is infinite or NaN.
void run_all_finite(const KernelCall& call) {
  if (!alike(call.values(0))) return run_on_host(call);
  kernels::fill_on_device(call.out(), true);
  MultiTensorParams p{};
  p.finite = call.out().as<bool>();
  for_many(call, "many_finite", p, nullptr);
}

}  // namespace

DYAD_CUDA_KERNEL(square_sum_of_all, run_square_sum);
DYAD_CUDA_KERNEL(scale_all, run_scale);
DYAD_CUDA_KERNEL(all_finite, run_all_finite);

}  // namespace dyad::cuda
