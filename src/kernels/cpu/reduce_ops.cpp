#include <algorithm>

#include "kernels/cpu/reduce.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

/// Operators of the form (input, axis, …).
template <ReduceKind kind>
void run_reduce(const KernelCall& call) {
  reduce(kind, call.in(0), axes_of(call, 1, call.in(0).rank()), call.out());
}

void run_mean(const KernelCall& call) {
  const ValueImpl& in = call.in(0);
  const Ints axes = axes_of(call, 1, in.rank());
  int64_t count = 1;
  for (int64_t axis : axes) count *= in.shape[static_cast<size_t>(axis)].value();
  reduce(ReduceKind::kSum, in, axes, call.out(), 1.0 / static_cast<double>(count));
}

void run_count_over(const KernelCall& call) {
  double count = 1;
  for (int64_t axis : axes_of(call, 1, call.in(0).rank())) {
    count *= static_cast<double>(call.in(0).shape[static_cast<size_t>(axis)].value());
  }
  store(count, call.out().dtype, call.out().data);
}

/// Sums over the axes along which `like` was broadcast.
void run_sum_to(const KernelCall& call) {
  const ValueImpl& in = call.in(0);
  const Shape& like = call.in(1).shape;
  const size_t extra = in.shape.size() - like.size();
  Ints axes;
  for (size_t i = 0; i < in.shape.size(); ++i) {
    if (i < extra || !(like[i - extra] == in.shape[i])) axes.push_back(static_cast<int64_t>(i));
  }
  reduce(ReduceKind::kSum, in, axes, call.out());
}

}  // namespace

Ints axes_of(const Arguments& args, size_t at, int64_t rank) {
  Ints axes;
  if (args.has(at)) {
    for (Dim axis : args.dims(at)) axes.push_back(normalize_axis(args.op(), axis.value(), rank));
  }
  if (axes.empty()) {
    for (int64_t i = 0; i < rank; ++i) axes.push_back(i);
  }
  std::sort(axes.begin(), axes.end());
  if (rank == 0) axes.clear();
  return axes;
}

DYAD_CPU_KERNEL(sum, run_reduce<ReduceKind::kSum>);
DYAD_CPU_KERNEL(prod, run_reduce<ReduceKind::kProd>);
DYAD_CPU_KERNEL(amax, run_reduce<ReduceKind::kMax>);
DYAD_CPU_KERNEL(amin, run_reduce<ReduceKind::kMin>);
DYAD_CPU_KERNEL(any, run_reduce<ReduceKind::kAny>);
DYAD_CPU_KERNEL(all, run_reduce<ReduceKind::kAll>);
DYAD_CPU_KERNEL(mean, run_mean);
DYAD_CPU_KERNEL(sum_to, run_sum_to);
DYAD_CPU_KERNEL(count_over, run_count_over);

}  // namespace dyad::kernels
