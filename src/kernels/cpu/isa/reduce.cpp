// The inner loops of the reductions, for contiguous elements.

#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "kernels/cpu/reduce_table.h"

namespace dyad::kernels::DYAD_ISA {

// What joins two elements. Vectors of elements are joined lane by lane by the same code.

/// Signed integers wrap around, as unsigned arithmetic does by definition.
template <class X>
static constexpr bool wraps = std::is_integral_v<X> && std::is_signed_v<X>;

struct Sum {
  template <class X>
  static inline void join(X& a, const X& b) {
    if constexpr (wraps<X>) {
      a = static_cast<X>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    } else {
      a = a + b;
    }
  }
};
struct Prod {
  template <class X>
  static inline void join(X& a, const X& b) {
    if constexpr (wraps<X>) {
      a = static_cast<X>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    } else {
      a = a * b;
    }
  }
};
// NaN wins over every number, on either side.
struct Max {
  template <class X>
  static inline void join(X& a, const X& b) {
    a = ((a > b) | (a != a)) ? a : b;
  }
};
struct Min {
  template <class X>
  static inline void join(X& a, const X& b) {
    a = ((a < b) | (a != a)) ? a : b;
  }
};
struct Or {
  template <class X>
  static inline void join(X& a, const X& b) {
    a = a | b;
  }
};
struct And {
  template <class X>
  static inline void join(X& a, const X& b) {
    a = a & b;
  }
};

template <class T>
struct Vector {
  typedef T type __attribute__((vector_size(64)));
};

// Elements summed in float32 before the sum moves to the float64 accumulator: few enough per lane to keep the
// error at the level of pairwise summation.
static constexpr int64_t kRowBlock = 2048;

/// Four vectors of lanes run side by side, so that one addition need not wait for the one before.
template <class F, class T, class A>
static void row_lanes(const void* from, int64_t count, void* acc) {
  using V = typename Vector<T>::type;
  constexpr int64_t lanes = 64 / static_cast<int64_t>(sizeof(T));
  constexpr int64_t step = 4 * lanes;
  auto* in = static_cast<const T*>(from);
  A total = *static_cast<A*>(acc);
  while (count >= step) {
    const int64_t block = std::min(count, kRowBlock) / step * step;
    V v[4];
    __builtin_memcpy(v, in, sizeof(v));
    for (int64_t i = step; i < block; i += step) {
      V next[4];
      __builtin_memcpy(next, in + i, sizeof(next));
      for (int k = 0; k < 4; ++k) F::join(v[k], next[k]);
    }
    F::join(v[0], v[1]);
    F::join(v[2], v[3]);
    F::join(v[0], v[2]);
    T lane[lanes];
    __builtin_memcpy(lane, v, sizeof(lane));
    for (int64_t width = lanes / 2; width > 0; width /= 2) {
      for (int64_t i = 0; i < width; ++i) F::join(lane[i], lane[i + width]);
    }
    F::join(total, static_cast<A>(lane[0]));
    in += block;
    count -= block;
  }
  for (int64_t i = 0; i < count; ++i) F::join(total, static_cast<A>(in[i]));
  *static_cast<A*>(acc) = total;
}

/// Every element joins in the accumulator's type.
template <class F, class T, class A>
static void row_plain(const void* from, int64_t count, void* acc) {
  auto* in = static_cast<const T*>(from);
  A first = *static_cast<A*>(acc);
  int64_t i = 0;
  if (count >= 8) {
    A part[4] = {static_cast<A>(in[0]), static_cast<A>(in[1]), static_cast<A>(in[2]), static_cast<A>(in[3])};
    for (i = 4; i + 4 <= count; i += 4) {
      for (int k = 0; k < 4; ++k) F::join(part[k], static_cast<A>(in[i + k]));
    }
    for (const A& p : part) F::join(first, p);
  }
  for (; i < count; ++i) F::join(first, static_cast<A>(in[i]));
  *static_cast<A*>(acc) = first;
}

template <class F, class T, class A>
static void column_plain(const void* from, int64_t rows, int64_t stride, int64_t columns, void* acc) {
  auto* in = static_cast<const T*>(from);
  auto* total = static_cast<A*>(acc);
  for (int64_t r = 0; r < rows; ++r) {
    const T* row = in + r * stride;
#pragma GCC ivdep
    for (int64_t j = 0; j < columns; ++j) F::join(total[j], static_cast<A>(row[j]));
  }
}

/// Eight rows meet in float32, as a tree, before they are added to the float64 accumulators.
static void column_sum_float(const void* from, int64_t rows, int64_t stride, int64_t columns, void* acc) {
  auto* in = static_cast<const float*>(from);
  auto* total = static_cast<double*>(acc);
  int64_t r = 0;
  for (; r + 8 <= rows; r += 8) {
    const float* a = in + r * stride;
#pragma GCC ivdep
    for (int64_t j = 0; j < columns; ++j) {
      const float* at = a + j;
      const float low = (at[0] + at[stride]) + (at[2 * stride] + at[3 * stride]);
      const float high = (at[4 * stride] + at[5 * stride]) + (at[6 * stride] + at[7 * stride]);
      total[j] += static_cast<double>(low + high);
    }
  }
  column_plain<Sum, float, double>(in + r * stride, rows - r, stride, columns, acc);
}

template <class F, class T>
static constexpr ReduceLoops lanes() {
  return {row_lanes<F, T, T>, column_plain<F, T, T>};
}
template <class F, class T, class A>
static constexpr ReduceLoops plain() {
  return {row_plain<F, T, A>, column_plain<F, T, A>};
}

using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;

// Columns: float32, float64, int64, uint64, bool, complex64, complex128.
extern constinit const ReduceTable reduce_table = {{
    {{row_lanes<Sum, float, double>, column_sum_float},
     lanes<Sum, double>(),
     lanes<Sum, int64_t>(),
     lanes<Sum, uint64_t>(),
     {},
     plain<Sum, Complex64, Complex128>(),
     plain<Sum, Complex128, Complex128>()},
    {plain<Prod, float, double>(),
     plain<Prod, double, double>(),
     plain<Prod, int64_t, int64_t>(),
     plain<Prod, uint64_t, uint64_t>(),
     {},
     plain<Prod, Complex64, Complex128>(),
     plain<Prod, Complex128, Complex128>()},
    {lanes<Max, float>(), lanes<Max, double>(), lanes<Max, int64_t>(), lanes<Max, uint64_t>(), {}, {}, {}},
    {lanes<Min, float>(), lanes<Min, double>(), lanes<Min, int64_t>(), lanes<Min, uint64_t>(), {}, {}, {}},
    {{}, {}, {}, {}, lanes<Or, uint8_t>(), {}, {}},
    {{}, {}, {}, {}, lanes<And, uint8_t>(), {}, {}},
}};

}  // namespace dyad::kernels::DYAD_ISA
