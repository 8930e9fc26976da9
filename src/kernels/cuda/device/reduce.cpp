// Stages of reductions, by what joins elements and by the dtype in which they are stored. The order in which
// elements meet depends on the shape alone.

#include "kernels/cuda/params/reduce.h"
#include "kernels/cuda/device/dtypes.h"

#include <limits>

namespace dyad::cuda::device {

// What joins two elements, and what leaves every element as it is.

struct Sum {
  template <class A>
  static A neutral() {
    return A(0);
  }
  template <class A>
  static DYAD_DEVICE_INLINE A join(A a, A b) {
    if constexpr (std::is_same_v<A, int64_t>) {
      return static_cast<A>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    } else {
      return a + b;
    }
  }
};
struct Prod {
  template <class A>
  static A neutral() {
    return A(1);
  }
  template <class A>
  static DYAD_DEVICE_INLINE A join(A a, A b) {
    if constexpr (std::is_same_v<A, int64_t>) {
      return static_cast<A>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    } else {
      return a * b;
    }
  }
};
// NaN wins over every number, on either side.
struct Max {
  template <class A>
  static A neutral() {
    using Limits = std::numeric_limits<A>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  template <class A>
  static DYAD_DEVICE_INLINE A join(A a, A b) {
    return (a > b) | (a != a) ? a : b;
  }
};
struct Min {
  template <class A>
  static A neutral() {
    using Limits = std::numeric_limits<A>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  template <class A>
  static DYAD_DEVICE_INLINE A join(A a, A b) {
    return (a < b) | (a != a) ? a : b;
  }
};
struct Any {
  template <class A>
  static A neutral() {
    return A(0);
  }
  template <class A>
  static DYAD_DEVICE_INLINE A join(A a, A b) {
    return a | b;
  }
};
struct All {
  template <class A>
  static A neutral() {
    return A(1);
  }
  template <class A>
  static DYAD_DEVICE_INLINE A join(A a, A b) {
    return a & b;
  }
};

template <class A, class S>
DYAD_DEVICE_INLINE A widen(S x) {
  return ::dyad::kernels::DYAD_ISA::convert_one<S, A>(x);
}

/// Results that are means are multiplied; their accumulators are float64 or complex128.
template <class A>
DYAD_DEVICE_INLINE void finish(const ReduceParams& p, int64_t at, A total) {
  if constexpr (std::is_same_v<A, double> || std::is_same_v<A, std::complex<double>>) total = total * p.scale;
  if constexpr (std::is_same_v<A, uint8_t>) {
    static_cast<uint8_t*>(p.out)[at] = total;
  } else {
    store_as(p.dtype, p.out, at, total);
  }
}

/// Elements that lie side by side are joined by a warp or by a block.
template <class F, class S, class A>
DYAD_DEVICE_INLINE void reduce_rows(const ReduceParams& p) {
  DYAD_SHARED(A, parts, kReduceThreads / 32);
  const uint32_t together = p.threads_at_row;
  const uint32_t rows_at_once = threads_x() / together;
  const uint32_t me = thread_x() % together;
  const int64_t tasks = p.outer * p.chunks;
  for (int64_t base = static_cast<int64_t>(block_x()) * rows_at_once; base < tasks;
       base += static_cast<int64_t>(blocks_x()) * rows_at_once) {
    const int64_t task = base + thread_x() / together;
    A total = F::template neutral<A>();
    if (task < tasks) {
      const int64_t begin = task % p.chunks * p.length;
      const int64_t rest = p.reduced - begin;
      const int64_t count = rest < p.length ? rest : p.length;
      const S* in = static_cast<const S*>(p.in) + task / p.chunks * p.reduced + begin;
      constexpr int kPack = sizeof(S) >= 16 ? 1 : 16 / sizeof(S);
      int64_t done = 0;
      if (reinterpret_cast<uintptr_t>(in) % (kPack * sizeof(S)) == 0) {
        done = count / kPack * kPack;
        for (int64_t i = me; i < count / kPack; i += together) {
          const auto pack = reinterpret_cast<const Pack<S, kPack>*>(in)[i];
#pragma unroll
          for (int k = 0; k < kPack; ++k) total = F::join(total, widen<A>(pack.at[k]));
        }
      }
      for (int64_t i = done + me; i < count; i += together) total = F::join(total, widen<A>(in[i]));
    }
#pragma unroll
    for (uint32_t apart = 16; apart > 0; apart /= 2) total = F::join(total, shuffle_down(total, apart));
    if (together == 32) {
      if (me == 0 && task < tasks) finish(p, task, total);
      continue;
    }
    if (lane() == 0) parts[thread_x() / 32] = total;
    sync_threads();
    if (thread_x() == 0) {
      for (uint32_t w = 1; w < threads_x() / 32; ++w) total = F::join(total, parts[w]);
      finish(p, task, total);
    }
    sync_threads();
  }
}

/// A thread for each result; neighbours read side by side.
template <class F, class S, class A>
DYAD_DEVICE_INLINE void reduce_columns(const ReduceParams& p) {
  DYAD_FOR_EACH(task, p.outer * p.chunks * p.inner) {
    const int64_t column = task % p.inner;
    const int64_t chunk = task / p.inner % p.chunks;
    const int64_t outer = task / p.inner / p.chunks;
    const int64_t begin = chunk * p.length;
    const int64_t rest = p.reduced - begin;
    const int64_t count = rest < p.length ? rest : p.length;
    const S* in = static_cast<const S*>(p.in) + (outer * p.reduced + begin) * p.inner + column;
    A total = F::template neutral<A>();
#pragma unroll 4
    for (int64_t r = 0; r < count; ++r) total = F::join(total, widen<A>(in[r * p.inner]));
    finish(p, task, total);
  }
}

#define DYAD_REDUCE(name, F, S, dtype, A)                                                     \
  DYAD_DEVICE_KERNEL(reduce_rows_##name##_##dtype, ReduceParams) { reduce_rows<F, S, A>(p); } \
  DYAD_DEVICE_KERNEL(reduce_columns_##name##_##dtype, ReduceParams) { reduce_columns<F, S, A>(p); }

#define DYAD_REDUCE_ADDING(name, F)                                          \
  DYAD_REDUCE(name, F, Half, float16, double)                                \
  DYAD_REDUCE(name, F, BFloat16, bfloat16, double)                           \
  DYAD_REDUCE(name, F, float, float32, double)                               \
  DYAD_REDUCE(name, F, double, float64, double)                              \
  DYAD_REDUCE(name, F, int64_t, int64, int64_t)                              \
  DYAD_REDUCE(name, F, uint64_t, uint64, uint64_t)                           \
  DYAD_REDUCE(name, F, std::complex<float>, complex64, std::complex<double>) \
  DYAD_REDUCE(name, F, std::complex<double>, complex128, std::complex<double>)
#define DYAD_REDUCE_CHOOSING(name, F)             \
  DYAD_REDUCE(name, F, Half, float16, float)      \
  DYAD_REDUCE(name, F, BFloat16, bfloat16, float) \
  DYAD_REDUCE(name, F, float, float32, float)     \
  DYAD_REDUCE(name, F, double, float64, double)   \
  DYAD_REDUCE(name, F, int64_t, int64, int64_t)   \
  DYAD_REDUCE(name, F, uint64_t, uint64, uint64_t)

DYAD_REDUCE_ADDING(sum, Sum)
DYAD_REDUCE_ADDING(prod, Prod)
DYAD_REDUCE_CHOOSING(max, Max)
DYAD_REDUCE_CHOOSING(min, Min)
DYAD_REDUCE(any, Any, uint8_t, bool, uint8_t)
DYAD_REDUCE(all, All, uint8_t, bool, uint8_t)

}  // namespace dyad::cuda::device
