#include <algorithm>
#include <limits>

#include "kernels/cpu/computed.h"
#include "kernels/cpu/contiguous.h"
#include "kernels/cpu/line_bundles.h"
#include "kernels/cpu/softmax.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

AxisView lines_of(const KernelCall& call, size_t axis) {
  const ValueImpl& in = call.in(0);
  const int64_t rank = std::max<int64_t>(in.rank(), 1);
  return AxisView(in.shape, normalize_axis(call.op(), call.integer(axis), rank));
}

enum class Forward { kSoftmax, kLogSoftmax };

template <Forward kind>
void run_forward(const KernelCall& call) {
  const DType dtype = compute_dtype(call.out().dtype);
  const Contiguous in(call.in(0), dtype);
  Computed out(call.out(), dtype);
  const AxisView lines = lines_of(call, 1);
  with_float(dtype, [&]<class T>(T) {
    const auto loop = kind == Forward::kSoftmax ? softmax_loops<T>().softmax : softmax_loops<T>().log_softmax;
    const T* from = in.as<T>();
    T* to = out.as<T>();
    for_each_bundle(lines, [&](int64_t at, int64_t columns, int64_t) {
      loop(from + at, lines.count, lines.inner, columns, to + at);
    });
  });
  out.store();
}

/// (gradient, result, axis)
template <Forward kind>
void run_backward(const KernelCall& call) {
  const DType dtype = compute_dtype(call.out().dtype);
  const Contiguous gradient(call.in(0), dtype);
  const Contiguous result(call.in(1), dtype);
  Computed out(call.out(), dtype);
  const AxisView lines = lines_of(call, 2);
  with_float(dtype, [&]<class T>(T) {
    const auto loop =
        kind == Forward::kSoftmax ? softmax_loops<T>().softmax_grad : softmax_loops<T>().log_softmax_grad;
    T* to = out.as<T>();
    for_each_bundle(lines, [&](int64_t at, int64_t columns, int64_t) {
      loop(gradient.as<T>() + at, result.as<T>() + at, lines.count, lines.inner, columns, to + at);
    });
  });
  out.store();
}

/// (input, axis): the line's axis is gone from the result.
void run_log_sum(const KernelCall& call) {
  const DType dtype = compute_dtype(call.out().dtype);
  const Contiguous in(call.in(0), dtype);
  Computed out(call.out(), dtype);
  const AxisView lines = lines_of(call, 1);
  with_float(dtype, [&]<class T>(T) {
    T* to = out.as<T>();
    if (lines.count == 0) std::fill(to, to + call.out().size(), -std::numeric_limits<T>::infinity());
    for_each_bundle(lines, [&](int64_t at, int64_t columns, int64_t group) {
      softmax_loops<T>().log_sum(in.as<T>() + at, lines.count, lines.inner, columns, to + group);
    });
  });
  out.store();
}

}  // namespace

DYAD_CPU_KERNEL(softmax, run_forward<Forward::kSoftmax>);
DYAD_CPU_KERNEL(log_softmax, run_forward<Forward::kLogSoftmax>);
DYAD_CPU_KERNEL(softmax_grad, run_backward<Forward::kSoftmax>);
DYAD_CPU_KERNEL(log_softmax_grad, run_backward<Forward::kLogSoftmax>);
DYAD_CPU_KERNEL(log_sum_exp_line, run_log_sum);

}  // namespace dyad::kernels
