// Counts of numbers in bins, and the bounds of the numbers. Bounds begin with the first number, so that a NaN
// there stays and any other is passed over, as on the CPU.

#include "kernels/cuda/params/histogram.h"
#include "kernels/cuda/device/intrinsics.h"

namespace dyad::cuda::device {

template <class T>
DYAD_DEVICE_INLINE void begin_bounds(const HistogramParams& p) {
  if (global_thread() != 0) return;
  static_cast<T*>(p.bounds)[0] = static_cast<T*>(p.bounds)[1] = static_cast<const T*>(p.in)[0];
}

template <class T>
DYAD_DEVICE_INLINE void widen_bounds(const HistogramParams& p) {
  T low = static_cast<const T*>(p.in)[0];
  T high = low;
  DYAD_FOR_EACH(i, p.count) {
    const T x = static_cast<const T*>(p.in)[i];
    low = x < low ? x : low;
    high = x > high ? x : high;
  }
  atomic_min(static_cast<T*>(p.bounds), low);
  atomic_max(static_cast<T*>(p.bounds) + 1, high);
}

DYAD_DEVICE_KERNEL(begin_bounds_int64, HistogramParams) { begin_bounds<int64_t>(p); }
DYAD_DEVICE_KERNEL(begin_bounds_float64, HistogramParams) { begin_bounds<double>(p); }
DYAD_DEVICE_KERNEL(widen_bounds_int64, HistogramParams) { widen_bounds<int64_t>(p); }
DYAD_DEVICE_KERNEL(widen_bounds_float64, HistogramParams) { widen_bounds<double>(p); }

DYAD_DEVICE_KERNEL(count_numbers, HistogramParams) {
  DYAD_FOR_EACH(i, p.count) {
    const int64_t bin = static_cast<const int64_t*>(p.in)[i];
    if (p.weights) {
      atomic_add(static_cast<double*>(p.bins) + bin, p.weights[i]);
    } else {
      atomic_add(static_cast<int64_t*>(p.bins) + bin, int64_t{1});
    }
  }
}

DYAD_DEVICE_KERNEL(count_intervals, HistogramParams) {
  DYAD_FOR_EACH(i, p.count) {
    const double x = static_cast<const double*>(p.in)[i];
    if (!(x >= p.low && x <= p.high)) continue;
    const auto bin = static_cast<int64_t>((x - p.low) / (p.high - p.low) * static_cast<double>(p.length));
    atomic_add(static_cast<int64_t*>(p.bins) + (bin < p.length ? bin : p.length - 1), int64_t{1});
  }
}

}  // namespace dyad::cuda::device
