// Resizing along the spatial dimensions, one after the other, and sampling at points of a grid. float16 and
// bfloat16 are computed in float32.

#include <utility>

#include "base/error.h"
#include "kernels/cpu/grid_sampling.h"
#include "kernels/cpu/resampled_axis.h"
#include "kernels/cuda/operand.h"
#include "kernels/cuda/params/resample.h"
#include "kernels/cuda/storage_suffix.h"
#include "kernels/scalar/compute_dtype.h"
#include "runtime/cuda/launch.h"

namespace dyad::cuda {

namespace {

/// (input, sizes, mode, coordinates, scales), or back from the gradient of that.
void resize_axes(const KernelCall& call, bool back) {
  ValueImpl& to = call.out();
  if (to.size() == 0) return;
  if (to.shape.size() < 3) return convert_elements(call.value(0), to);  // no spatial dimension
  const int device = call.device().index;
  const DType computed = compute_dtype(call.in(0).dtype);
  const Operand from(call.in(0), computed);
  const ComputedResult result(to, computed);
  Shape shape = from->shape;
  const void* current = from->data;
  Ref<DeviceScratch> held;
  for (size_t axis = 2; axis < shape.size(); ++axis) {
    ResampleParams p{};
    p.axis = back ? kernels::resampled_axis(call, to.shape, from->shape, axis - 2)
                  : kernels::resampled_axis(call, from->shape, to.shape, axis - 2);
    p.outer = p.inner = 1;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (d != axis) (d < axis ? p.outer : p.inner) *= shape[d].value();
    }
    shape[axis] = to.shape[axis];
    const bool last = axis + 1 == shape.size();
    Ref<DeviceScratch> next;
    if (!last) next = Ref<DeviceScratch>(new DeviceScratch(to.device, computed, shape));
    p.from = current;
    p.to = last ? static_cast<void*>(result.data()) : next->data;
    launch(device, cat(back ? "resample_back" : "resample", storage_suffix(computed)), cover(numel(shape)),
           p);
    held = std::move(next);
    if (held) current = held->data;
  }
  result.store();
}

void run_resize(const KernelCall& call) { resize_axes(call, false); }
void run_resize_back(const KernelCall& call) { resize_axes(call, true); }

/// (images, grid, mode, padding mode, align_corners)
void run_sample_grid(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const DType computed = compute_dtype(out.dtype);
  const Operand images(call.in(0), computed);
  const Operand grid(call.in(1), computed);
  const ComputedResult result(out, computed);
  const GridSampleParams p{result.data(), images.as(), grid.as(),
                           kernels::grid_sampling(images->shape, grid->shape, call, 2)};
  launch(call.device().index, cat("sample_points", storage_suffix(computed)),
         cover(p.sampling.images * p.sampling.points), p);
  result.store();
}

DYAD_CUDA_KERNEL(resize, run_resize);
DYAD_CUDA_KERNEL(resize_back, run_resize_back);
DYAD_CUDA_KERNEL(sample_grid, run_sample_grid);

}  // namespace

}  // namespace dyad::cuda
