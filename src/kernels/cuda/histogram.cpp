// bincount, histc and length_range. How many bins there are, or where they begin, may depend on the numbers:
// then the host waits for their bounds.

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "kernels/cuda/operand.h"
#include "kernels/cuda/params/create.h"
#include "kernels/cuda/params/histogram.h"
#include "kernels/cuda/storage_suffix.h"
#include "runtime/context.h"
#include "runtime/cuda/launch.h"
#include "runtime/cuda/stream.h"
#include "runtime/kernel.h"
#include "tensor/host_route.h"

namespace dyad::cuda {

namespace {

template <class T>
struct Bounds {
  T low;
  T high;
};

/// The smallest and the largest of at least one number.
template <class T>
Bounds<T> bounds_of(int device, DType dtype, HistogramParams p) {
  const DeviceWorkspace place(device, sizeof(Bounds<T>));
  p.bounds = place.as<void>();
  launch(device, cat("begin_bounds", storage_suffix(dtype)), {.threads = 32}, p);
  launch(device, cat("widen_bounds", storage_suffix(dtype)), cover(p.count, 16), p);
  Bounds<T> found;
  StreamHandle stream = current_stream(device);
  check(driver().copy_to_host(&found, reinterpret_cast<DevicePointer>(p.bounds), sizeof(found), stream),
        "copying from the device");
  check(driver().synchronize_stream(stream), "waiting for the device");
  return found;
}

/// Counts into bins of a dtype and converts them to the result's.
void count_into(ValueImpl& out, DType dtype, const char* kernel, HistogramParams p) {
  if (out.size() == 0) return;
  const Value bins(new DeviceScratch(out.device, dtype, out.shape));
  fill_zeros(out.device.index, bins->data, out.size() * itemsize(dtype));
  p.bins = bins->data;
  if (p.count > 0) launch(out.device.index, kernel, cover(p.count, 4), p);
  convert_elements(bins, out);
}

/// (input, weights, minlength, dtype) -> counts, or sums of weights
void run_bincount(const KernelCall& call) {
  // Sums of weights in a certain order are the CPU's.
  if (call.has(1) && Context::process().deterministic()) return run_on_host(call);
  const Operand in(call.in(0), DType::kInt64);
  HistogramParams p{};
  p.in = in.as();
  p.count = in->size();
  int64_t length = call.integer(2);
  if (p.count > 0) {
    const auto [low, high] = bounds_of<int64_t>(in->device.index, DType::kInt64, p);
    if (low < 0) value_error(call.op(), ": input holds ", low, "; it must hold no negative numbers");
    length = std::max(length, high + 1);
  }
  call.allocate(0, Shape{length});
  p.length = length;
  if (!call.has(1)) return count_into(call.out(), DType::kInt64, "count_numbers", p);
  const Operand weights(call.in(1), DType::kFloat64);
  p.weights = weights.as<double>();
  count_into(call.out(), DType::kFloat64, "count_numbers", p);
}

/// (input, bins, min, max) -> counts of equal intervals
void run_histc(const KernelCall& call) {
  const Operand in(call.in(0), DType::kFloat64);
  HistogramParams p{};
  p.in = in.as();
  p.count = in->size();
  p.length = call.integer(1);
  p.low = call.real(2);
  p.high = call.real(3);
  if (p.low == p.high && p.count > 0) {
    const auto [low, high] = bounds_of<double>(in->device.index, DType::kFloat64, p);
    p.low = low;
    p.high = high;
  }
  if (p.low == p.high) {
    p.low -= 1;
    p.high += 1;
  }
  if (!std::isfinite(p.low) || !std::isfinite(p.high))
    value_error(call.op(), ": the range is ", p.low, " to ", p.high, "; it must be finite");
  count_into(call.out(), DType::kInt64, "count_intervals", p);
}

/// (lengths) -> 0, 1, ... below the largest
void run_length_range(const KernelCall& call) {
  const Operand in(call.in(0), DType::kInt64);
  HistogramParams p{};
  p.in = in.as();
  p.count = in->size();
  const int64_t largest =
      p.count > 0 ? std::max<int64_t>(0, bounds_of<int64_t>(in->device.index, DType::kInt64, p).high) : 0;
  call.allocate(0, Shape{largest});
  if (largest == 0) return;
  SequenceParams numbers{};
  numbers.out = call.out().data;
  numbers.count = largest;
  numbers.dtype = static_cast<uint32_t>(call.out().dtype);
  numbers.step_integer = 1;
  launch(in->device.index, "sequence_integer", cover(largest), numbers);
}

DYAD_CUDA_KERNEL(length_range, run_length_range);
DYAD_CUDA_KERNEL(bincount, run_bincount);
DYAD_CUDA_KERNEL(histc, run_histc);

}  // namespace

}  // namespace dyad::cuda
