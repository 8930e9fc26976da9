// Running sums, products and extremes along lines. Lines in one piece are scanned by a block, tile by tile;
// lines side by side by a thread each.

#include "kernels/cuda/params/scan.h"
#include "kernels/cuda/device/dtypes.h"
#include "kernels/cuda/device/math.h"

#include <limits>

namespace dyad::cuda::device {

/// What a running total is kept in: float64 for floats, so that long scans stay accurate.
template <class T>
using Total =
    std::conditional_t<std::is_same_v<T, float>, double,
                       std::conditional_t<std::is_same_v<T, std::complex<float>>, std::complex<double>, T>>;

struct Add {
  template <class A>
  static DYAD_DEVICE_INLINE A start() {
    return A(0);
  }
  template <class A>
  static DYAD_DEVICE_INLINE A join(A a, A b) {
    return static_cast<A>(a + b);
  }
};
struct Multiply {
  template <class A>
  static DYAD_DEVICE_INLINE A start() {
    return A(1);
  }
  template <class A>
  static DYAD_DEVICE_INLINE A join(A a, A b) {
    return static_cast<A>(a * b);
  }
};
/// log(exp(a) + exp(b)) without overflow.
struct AddExponents {
  template <class A>
  static DYAD_DEVICE_INLINE A start() {
    return -std::numeric_limits<A>::infinity();
  }
  template <class A>
  static DYAD_DEVICE_INLINE A join(A a, A b) {
    const A high = a > b || a != a ? a : b;
    const A low = a > b || a != a ? b : a;
    if (high == std::numeric_limits<A>::infinity() || high == -std::numeric_limits<A>::infinity())
      return high;
    return high + ::log1p(::exp(low - high));
  }
};

inline constexpr uint32_t kScanThreads = 256;

template <class F, class T>
DYAD_DEVICE_INLINE void scan_lines(const ScanParams& p) {
  using A = Total<T>;
  DYAD_SHARED(A, totals, kScanThreads / 32);
  const uint32_t warp = thread_x() / 32;
  for (int64_t line = block_x(); line < p.lines; line += blocks_x()) {
    const T* in = static_cast<const T*>(p.in) + line * p.count;
    T* out = static_cast<T*>(p.out) + line * p.count;
    A carried = F::template start<A>();
    for (int64_t begin = 0; begin < p.count; begin += threads_x()) {
      const int64_t i = begin + thread_x();
      const int64_t at = p.reverse ? p.count - 1 - i : i;
      const A own = i < p.count ? static_cast<A>(in[at]) : F::template start<A>();
      A total = own;
      for (uint32_t apart = 1; apart < 32; apart *= 2) {
        const A before = shuffle_up(total, apart);
        if (lane() >= apart) total = F::join(before, total);
      }
      A before = shuffle_up(total, 1);
      if (lane() == 31) totals[warp] = total;
      sync_threads();
      A ahead = carried;
      for (uint32_t w = 0; w < warp; ++w) ahead = F::join(ahead, totals[w]);
      A all = carried;
      for (uint32_t w = 0; w < threads_x() / 32; ++w) all = F::join(all, totals[w]);
      if (i < p.count) {
        const A exclusive = lane() == 0 ? ahead : F::join(ahead, before);
        out[at] = static_cast<T>(p.exclusive ? exclusive : F::join(ahead, total));
      }
      carried = all;
      sync_threads();
    }
  }
}

template <class F, class T>
DYAD_DEVICE_INLINE void scan_columns(const ScanParams& p) {
  using A = Total<T>;
  DYAD_FOR_EACH(line, p.lines) {
    const int64_t start = line / p.inner * p.count * p.inner + line % p.inner;
    A total = F::template start<A>();
    for (int64_t i = 0; i < p.count; ++i) {
      const int64_t at = start + (p.reverse ? p.count - 1 - i : i) * p.inner;
      const A before = total;
      total = F::join(total, static_cast<A>(static_cast<const T*>(p.in)[at]));
      static_cast<T*>(p.out)[at] = static_cast<T>(p.exclusive ? before : total);
    }
  }
}

/// The last of equals is the one that counts.
template <class T, bool greatest>
DYAD_DEVICE_INLINE void running_extreme(const ScanParams& p) {
  DYAD_FOR_EACH(line, p.lines) {
    const int64_t start = line / p.inner * p.count * p.inner + line % p.inner;
    const T* in = static_cast<const T*>(p.in);
    T best = in[start];
    int64_t where = 0;
    for (int64_t i = 0; i < p.count; ++i) {
      const int64_t at = start + i * p.inner;
      const T x = in[at];
      const bool takes = x != x || (best == best && (greatest ? x >= best : x <= best));
      best = takes ? x : best;
      where = takes ? i : where;
      static_cast<T*>(p.out)[at] = best;
      p.where[at] = where;
    }
  }
}

/// Without a division, so that zeros among the factors do no harm: with P the product of what comes before k
/// and S[k] = g[k] + x[k + 1] S[k + 1] (one place later when exclusive), the gradient at k is P S[k].
template <class T>
DYAD_DEVICE_INLINE void product_gradient(const ProductGradientParams& p) {
  const T* gradient = static_cast<const T*>(p.gradient);
  const T* in = static_cast<const T*>(p.in);
  T* out = static_cast<T*>(p.out);
  DYAD_FOR_EACH(line, p.lines) {
    const int64_t start = line / p.inner * p.count * p.inner + line % p.inner;
    const auto at = [&](int64_t i) { return start + (p.reverse ? p.count - 1 - i : i) * p.inner; };
    T later(0);
    for (int64_t i = p.count; i-- > 0;) {
      const bool last = i + 1 == p.count;
      const T ahead = last ? T(0) : in[at(i + 1)] * later;
      const T own = p.exclusive ? (last ? T(0) : gradient[at(i + 1)]) : gradient[at(i)];
      later = own + ahead;
      out[at(i)] = later;
    }
    T before(1);
    for (int64_t i = 0; i < p.count; ++i) {
      out[at(i)] = out[at(i)] * before;
      before = before * in[at(i)];
    }
  }
}
DYAD_DEVICE_KERNEL(cumprod_grad_float64, ProductGradientParams) { product_gradient<double>(p); }
DYAD_DEVICE_KERNEL(cumprod_grad_complex128, ProductGradientParams) {
  product_gradient<std::complex<double>>(p);
}

#define DYAD_SCAN(name, F, T, dtype)                                            \
  DYAD_DEVICE_KERNEL(name##_lines_##dtype, ScanParams) { scan_lines<F, T>(p); } \
  DYAD_DEVICE_KERNEL(name##_columns_##dtype, ScanParams) { scan_columns<F, T>(p); }
#define DYAD_RUNNING(T, dtype)                                                    \
  DYAD_DEVICE_KERNEL(cummax_##dtype, ScanParams) { running_extreme<T, true>(p); } \
  DYAD_DEVICE_KERNEL(cummin_##dtype, ScanParams) { running_extreme<T, false>(p); }
#define DYAD_SCANS(T, dtype)       \
  DYAD_SCAN(cumsum, Add, T, dtype) \
  DYAD_SCAN(cumprod, Multiply, T, dtype)

DYAD_SCANS(int8_t, int8)
DYAD_SCANS(int16_t, int16)
DYAD_SCANS(int32_t, int32)
DYAD_SCANS(int64_t, int64)
DYAD_SCANS(uint8_t, uint8)
DYAD_SCANS(uint16_t, uint16)
DYAD_SCANS(uint32_t, uint32)
DYAD_SCANS(uint64_t, uint64)
DYAD_SCANS(float, float32)
DYAD_SCANS(double, float64)
DYAD_SCANS(std::complex<float>, complex64)
DYAD_SCANS(std::complex<double>, complex128)
DYAD_SCAN(logcumsumexp, AddExponents, double, float64)

DYAD_RUNNING(int8_t, int8)
DYAD_RUNNING(int16_t, int16)
DYAD_RUNNING(int32_t, int32)
DYAD_RUNNING(int64_t, int64)
DYAD_RUNNING(uint8_t, uint8)
DYAD_RUNNING(uint16_t, uint16)
DYAD_RUNNING(uint32_t, uint32)
DYAD_RUNNING(uint64_t, uint64)
DYAD_RUNNING(float, float32)
DYAD_RUNNING(double, float64)

}  // namespace dyad::cuda::device
