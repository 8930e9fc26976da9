#include "kernels/cuda/line_grid.h"
#include "kernels/cuda/params/lines.h"
#include "runtime/kernel.h"

namespace dyad::cuda {

namespace {

/// The lines of the first operand along an axis.
LineShape lines_of(const KernelCall& call, size_t axis) {
  const int64_t rank = std::max<int64_t>(call.in(0).rank(), 1);
  return {call.in(0).shape, normalize_axis(call.op(), call.integer(axis), rank)};
}

void launch_forms(const KernelCall& call, const char* stem, const LineShape& lines, DType dtype,
                  const LineParams& p) {
  const int device = call.device().index;
  if (lines.inner == 1) return launch_teams(device, stem, lines.outer, lines.count, dtype, p);
  launch_lines(device, stem, lines, dtype, p);
}

void run_forward(const KernelCall& call, const char* stem) {
  const DType dtype = call.out().dtype;
  const Operand in(call.in(0), dtype);
  Result out(call.out());
  const LineShape lines = lines_of(call, 1);
  const LineParams p{out.as(), in.as(), nullptr, lines.outer, lines.count, lines.inner};
  launch_forms(call, stem, lines, dtype, p);
  out.store();
}

/// (gradient, result, axis)
void run_backward(const KernelCall& call, const char* stem) {
  const DType dtype = call.out().dtype;
  const Operand gradient(call.in(0), dtype);
  const Operand result(call.in(1), dtype);
  Result out(call.out());
  const LineShape lines = lines_of(call, 2);
  const LineParams p{out.as(), gradient.as(), result.as(), lines.outer, lines.count, lines.inner};
  launch_forms(call, stem, lines, dtype, p);
  out.store();
}

void run_softmax(const KernelCall& call) { run_forward(call, "softmax"); }
void run_log_softmax(const KernelCall& call) { run_forward(call, "log_softmax"); }
void run_log_sum(const KernelCall& call) { run_forward(call, "log_sum_exp"); }
void run_softmax_grad(const KernelCall& call) { run_backward(call, "softmax_grad"); }
void run_log_softmax_grad(const KernelCall& call) { run_backward(call, "log_softmax_grad"); }

}  // namespace

DYAD_CUDA_KERNEL(softmax, run_softmax);
DYAD_CUDA_KERNEL(log_softmax, run_log_softmax);
DYAD_CUDA_KERNEL(log_sum_exp_line, run_log_sum);
DYAD_CUDA_KERNEL(softmax_grad, run_softmax_grad);
DYAD_CUDA_KERNEL(log_softmax_grad, run_log_softmax_grad);

}  // namespace dyad::cuda
