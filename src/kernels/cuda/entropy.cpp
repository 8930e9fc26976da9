#include "kernels/cuda/params/entropy.h"
#include "kernels/cuda/line_grid.h"
#include "kernels/scalar/compute_dtype.h"
#include "runtime/cuda/faults.h"
#include "runtime/kernel.h"
#include "tensor/host_route.h"

namespace dyad::cuda {

namespace {

LineShape class_lines(const ValueImpl& scores) { return {scores.shape, scores.rank() == 1 ? 0 : 1}; }

/// What both directions of a loss against class indices read. `at` is the argument that holds the scores;
/// target and weight follow it, and `options` is where (ignore_index, reduction, label_smoothing, normalize)
/// begin.
class Classes {
 public:
  Classes(const KernelCall& call, size_t at, size_t options)
      : lines(class_lines(call.in(at))),
        dtype(call.in(at).dtype),
        computed(compute_dtype(dtype)),
        scores_(call.in(at)),
        target_(call.in(at + 1), DType::kInt64) {
    if (call.has(at + 2)) weight_.emplace(call.in(at + 2), computed);
    params.scores = scores_.as();
    params.target = target_.as<int64_t>();
    params.weight = weight_ ? weight_->as() : nullptr;
    params.outer = lines.outer;
    params.count = lines.count;
    params.inner = lines.inner;
    params.ignored = call.integer(options);
    params.smoothing = call.real(options + 2);
    params.normalize = call.flag(options + 3);
    params.fault = fault_place(call.device().index, call.op(), params.ticket);
  }

  LineShape lines;
  DType dtype;
  DType computed;
  ClassLossParams params{};

 private:
  Operand scores_;
  Operand target_;
  std::optional<Operand> weight_;
};

/// (input, target, weight, ignore_index, reduction, label_smoothing, normalize) → loss, the logarithms of the
/// sums of exponentials, and the total weight of the positions that count.
void run_class_loss(const KernelCall& call) {
  if (call.in(0).size() == 0) return run_on_host(call);
  const int device = call.device().index;
  Classes classes(call, 0, 3);
  const int64_t positions = classes.lines.outer * classes.lines.inner;
  const auto bytes = static_cast<size_t>(positions * itemsize(classes.computed));
  const DeviceWorkspace losses(device, bytes);
  const DeviceWorkspace counted(device, bytes);
  const bool each = call.text(4) == "none";
  const bool direct = call.out(0).dtype == classes.computed;
  const DeviceWorkspace one(device, 16);
  classes.params.log_sum = call.out(1).data;
  classes.params.losses = each && direct ? call.out(0).data : losses.as<void>();
  classes.params.counted = counted.as<void>();
  launch_lines(device, "class_loss", classes.lines, classes.dtype, classes.params);
  LossTotalParams totals{classes.params.losses, counted.as<void>(), nullptr, call.out(2).data, positions, 0,
                         call.text(4) == "mean"};
  if (!each) totals.loss = direct ? call.out(0).data : one.as<void>();
  launch(device, cat("loss_totals", storage_suffix(classes.computed)), {.threads = 1024}, totals);
  if (!direct) {
    const Value computed(new DeviceWindow(call.device(), each ? losses.as<void>() : one.as<void>(),
                                          classes.computed, call.out(0).shape,
                                          contiguous_strides(call.out(0).shape)));
    convert_elements(computed, call.out(0));
  }
}

/// (gradient, input, target, weight, log_sum, total, ignore_index, reduction, label_smoothing, normalize)
void run_class_loss_grad(const KernelCall& call) {
  if (call.out().size() == 0) return;
  Classes classes(call, 1, 6);
  const Operand gradient(call.in(0), classes.computed);
  const Operand log_sum(call.in(4), classes.computed);
  const Operand total(call.in(5), classes.computed);
  classes.params.gradient = gradient.as();
  classes.params.log_sum = const_cast<void*>(log_sum.as());
  classes.params.total = call.text(7) == "mean" ? total.as() : nullptr;
  classes.params.each = call.text(7) == "none";
  classes.params.out = call.out().data;
  launch_lines(call.device().index, "class_loss_grad", classes.lines, classes.dtype, classes.params);
}

/// (input, target) → loss per line and the logarithms of the sums of exponentials.
void run_distribution_loss(const KernelCall& call) {
  if (call.in(0).size() == 0) return run_on_host(call);
  const LineShape lines = class_lines(call.in(0));
  const DType dtype = call.in(0).dtype;
  const Operand scores(call.in(0));
  const Operand target(call.in(1), dtype);
  const DistributionLossParams p{scores.as(), target.as(), call.out(1).data, call.out(0).data,
                                 nullptr,     lines.outer, lines.count,      lines.inner};
  launch_lines(call.device().index, "distribution_loss", lines, dtype, p);
}

/// (gradient, input, target, log_sum)
void run_distribution_loss_grad(const KernelCall& call) {
  if (call.out().size() == 0) return;
  const LineShape lines = class_lines(call.in(1));
  const DType dtype = call.in(1).dtype;
  const Operand gradient(call.in(0), dtype);
  const Operand scores(call.in(1));
  const Operand target(call.in(2), dtype);
  const Operand log_sum(call.in(3), compute_dtype(dtype));
  const DistributionLossParams p{scores.as(),     target.as(),   const_cast<void*>(log_sum.as()),
                                 call.out().data, gradient.as(), lines.outer,
                                 lines.count,     lines.inner};
  launch_lines(call.device().index, "distribution_loss_grad", lines, dtype, p);
}

}  // namespace

DYAD_CUDA_KERNEL(class_loss, run_class_loss);
DYAD_CUDA_KERNEL(class_loss_grad, run_class_loss_grad);
DYAD_CUDA_KERNEL(distribution_loss, run_distribution_loss);
DYAD_CUDA_KERNEL(distribution_loss_grad, run_distribution_loss_grad);

}  // namespace dyad::cuda
