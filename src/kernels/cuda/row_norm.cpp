#include <algorithm>

#include "base/error.h"
#include "kernels/cuda/line_grid.h"
#include "kernels/cuda/operand.h"
#include "kernels/cuda/params/norm.h"
#include "kernels/cuda/storage_suffix.h"
#include "kernels/scalar/compute_dtype.h"
#include "runtime/cuda/launch.h"
#include "runtime/kernel.h"

namespace dyad::cuda {

namespace {

constexpr int64_t kMostChunks = 64;

struct Rows {
  int64_t rows = 1;
  int64_t count = 1;
  Rows(const Shape& shape, int64_t first_axis) {
    for (size_t i = 0; i < shape.size(); ++i)
      (static_cast<int64_t>(i) < first_axis ? rows : count) *= shape[i].value();
  }
};

/// A parameter that may be missing, in the dtype in which is computed.
std::optional<Operand> parameter(const KernelCall& call, size_t at, DType dtype) {
  if (!call.has(at)) return std::nullopt;
  return std::optional<Operand>(std::in_place, call.in(at), dtype);
}
const void* data_of(const std::optional<Operand>& operand) { return operand ? operand->as() : nullptr; }

/// (input, begin_axis, weight, bias, epsilon) -> (output, mean, reciprocal of the standard deviation)
void run_layer_norm(const KernelCall& call) {
  const ValueImpl& input = call.in(0);
  const DType computed = compute_dtype(input.dtype);
  const Rows shape(input.shape, call.integer(1));
  if (shape.rows * shape.count == 0) return;
  const Operand in(input);
  const auto weight = parameter(call, 2, computed);
  const auto bias = parameter(call, 3, computed);
  const RowNormParams p{call.out(0).data, call.out(1).data, call.out(2).data, in.as(),     data_of(weight),
                        data_of(bias),    shape.rows,       shape.count,      call.real(4)};
  launch_teams(call.device().index, "row_norm", shape.rows, shape.count, input.dtype, p);
}

/// (input, weight, epsilon) -> (output, reciprocal of the root mean square)
void run_rms_norm(const KernelCall& call) {
  const ValueImpl& input = call.in(0);
  const DType computed = compute_dtype(input.dtype);
  const Rows shape(input.shape, input.rank() - call.in(1).rank());
  if (shape.rows * shape.count == 0) return;
  const Operand in(input);
  const auto weight = parameter(call, 1, computed);
  const RowNormParams p{call.out(0).data, nullptr,    call.out(1).data, in.as(),     data_of(weight),
                        nullptr,          shape.rows, shape.count,      call.real(2)};
  launch_teams(call.device().index, "row_norm", shape.rows, shape.count, input.dtype, p);
}

/// (gradient, input, mean, scale, weight, begin_axis) -> gradients of input, weight and bias
void run_layer_norm_grad(const KernelCall& call) {
  const ValueImpl& input = call.in(1);
  const DType computed = compute_dtype(input.dtype);
  const Rows shape(input.shape, call.integer(5));
  const int device = call.device().index;
  const Operand gradient(call.in(0), input.dtype);
  const Operand in(input);
  const Operand mean(call.in(2), computed);
  const Operand scale(call.in(3), computed);
  const auto weight = parameter(call, 4, computed);
  const int64_t chunks = std::clamp<int64_t>(shape.rows / 16, 1, kMostChunks);
  const DeviceWorkspace partial(device, static_cast<size_t>(2 * chunks * shape.count * itemsize(computed)));
  const RowNormGradParams p{call.out(0).data, gradient.as(), in.as(),     mean.as(),          scale.as(),
                            data_of(weight),  shape.rows,    shape.count, partial.as<void>(), chunks};
  if (shape.rows * shape.count > 0)
    launch_teams(device, "row_norm_grad", shape.rows, shape.count, input.dtype, p);
  if (shape.count == 0) return;
  Grid columns = cover(shape.count, 1, 128);
  columns.y = static_cast<unsigned>(chunks);
  launch(device, cat("row_norm_parameters", storage_suffix(input.dtype)), columns, p);
  const ColumnSumParams sums{partial.as<void>(), call.out(1).data, call.out(2).data, chunks, shape.count};
  launch(device, cat("column_sums", storage_suffix(computed)), cover(shape.count, 1, 128), sums);
}

}  // namespace

DYAD_CUDA_KERNEL(normalize_rows, run_layer_norm);
DYAD_CUDA_KERNEL(normalize_rows_grad, run_layer_norm_grad);
DYAD_CUDA_KERNEL(normalize_rms, run_rms_norm);

}  // namespace dyad::cuda
