// The best element of each line and where it lies, triangles of matrices, and one-hot rows.

#include "kernels/cuda/device/dtypes.h"
#include "kernels/cuda/params/scan.h"

namespace dyad::cuda::device {

/// Whether `x` at `i` takes the place of `best`: the first of equals stays, and so does the first NaN.
template <bool greatest, class T>
DYAD_DEVICE_INLINE bool is_better(T x, int64_t i, T best, int64_t where) {
  if (i < 0) return false;
  if (where < 0) return true;
  const bool x_is_nan = x != x;
  const bool best_is_nan = best != best;
  if (x_is_nan || best_is_nan) return x_is_nan && (!best_is_nan || i < where);
  if (x == best) return i < where;
  return greatest ? x > best : x < best;
}

template <class S, class T>
DYAD_DEVICE_INLINE void finish_best(const ArgmaxParams& p, int64_t line, T best, int64_t where) {
  if (p.values) static_cast<S*>(p.values)[line] = ::dyad::kernels::DYAD_ISA::convert_one<T, S>(best);
  store_as(p.index_dtype, p.index, line, where);
}

/// A block for each line in one piece.
template <bool greatest, class S, class T>
DYAD_DEVICE_INLINE void best_of_lines(const ArgmaxParams& p) {
  constexpr uint32_t kWarps = 32;
  DYAD_SHARED(T, values, kWarps);
  DYAD_SHARED(int64_t, places, kWarps);
  for (int64_t line = block_x(); line < p.lines; line += blocks_x()) {
    const S* in = static_cast<const S*>(p.in) + line * p.count;
    T best = T(0);
    int64_t where = -1;
    for (int64_t i = thread_x(); i < p.count; i += threads_x()) {
      const T x = ::dyad::kernels::DYAD_ISA::convert_one<S, T>(in[i]);
      if (is_better<greatest>(x, i, best, where)) best = x, where = i;
    }
    for (uint32_t apart = 16; apart > 0; apart /= 2) {
      const T other = shuffle_down(best, apart);
      const int64_t place = shuffle_down(where, apart);
      if (is_better<greatest>(other, place, best, where)) best = other, where = place;
    }
    if (lane() == 0) {
      values[thread_x() / 32] = best;
      places[thread_x() / 32] = where;
    }
    sync_threads();
    if (thread_x() == 0) {
      for (uint32_t w = 1; w < threads_x() / 32; ++w) {
        if (is_better<greatest>(values[w], places[w], best, where)) best = values[w], where = places[w];
      }
      finish_best<S>(p, line, best, where);
    }
    sync_threads();
  }
}

template <bool greatest, class S, class T>
DYAD_DEVICE_INLINE void best_of_columns(const ArgmaxParams& p) {
  DYAD_FOR_EACH(line, p.lines) {
    const S* in = static_cast<const S*>(p.in) + line / p.inner * p.count * p.inner + line % p.inner;
    T best = T(0);
    int64_t where = -1;
    for (int64_t i = 0; i < p.count; ++i) {
      const T x = ::dyad::kernels::DYAD_ISA::convert_one<S, T>(in[i * p.inner]);
      if (is_better<greatest>(x, i, best, where)) best = x, where = i;
    }
    finish_best<S>(p, line, best, where);
  }
}

#define DYAD_BEST(S, T, dtype)                                                                   \
  DYAD_DEVICE_KERNEL(greatest_lines_##dtype, ArgmaxParams) { best_of_lines<true, S, T>(p); }     \
  DYAD_DEVICE_KERNEL(least_lines_##dtype, ArgmaxParams) { best_of_lines<false, S, T>(p); }       \
  DYAD_DEVICE_KERNEL(greatest_columns_##dtype, ArgmaxParams) { best_of_columns<true, S, T>(p); } \
  DYAD_DEVICE_KERNEL(least_columns_##dtype, ArgmaxParams) { best_of_columns<false, S, T>(p); }
DYAD_BEST(bool, uint8_t, bool)
DYAD_BEST(int8_t, int8_t, int8)
DYAD_BEST(int16_t, int16_t, int16)
DYAD_BEST(int32_t, int32_t, int32)
DYAD_BEST(int64_t, int64_t, int64)
DYAD_BEST(uint8_t, uint8_t, uint8)
DYAD_BEST(uint16_t, uint16_t, uint16)
DYAD_BEST(uint32_t, uint32_t, uint32)
DYAD_BEST(uint64_t, uint64_t, uint64)
DYAD_BEST(Half, float, float16)
DYAD_BEST(BFloat16, float, bfloat16)
DYAD_BEST(float, float, float32)
DYAD_BEST(double, double, float64)

template <class T>
DYAD_DEVICE_INLINE void triangle(const TriangleParams& p) {
  DYAD_FOR_EACH(i, p.count) {
    const int64_t row = i / p.columns % p.rows;
    const int64_t column = i % p.columns;
    const bool kept = p.upper ? column - row >= p.diagonal : column - row <= p.diagonal;
    static_cast<T*>(p.out)[i] = kept ? static_cast<const T*>(p.in)[i] : T{};
  }
}

template <class T>
DYAD_DEVICE_INLINE void one_hot(const OneHotParams& p) {
  T on;
  T off;
  __builtin_memcpy(&on, p.on, sizeof(T));
  __builtin_memcpy(&off, p.off, sizeof(T));
  if (p.on_at) on = *static_cast<const T*>(p.on_at);
  if (p.off_at) off = *static_cast<const T*>(p.off_at);
  DYAD_FOR_EACH(i, p.count) {
    const int64_t inside = i % p.inner;
    const int64_t place = i / p.inner % p.depth;
    const int64_t outer = i / p.inner / p.depth;
    static_cast<T*>(p.out)[i] = p.index[outer * p.inner + inside] == place ? on : off;
  }
}

using Wide = Pack<uint64_t, 2>;
#define DYAD_PLACED(bytes, T)                                              \
  DYAD_DEVICE_KERNEL(triangle_##bytes, TriangleParams) { triangle<T>(p); } \
  DYAD_DEVICE_KERNEL(one_hot_##bytes, OneHotParams) { one_hot<T>(p); }
DYAD_PLACED(1, uint8_t)
DYAD_PLACED(2, uint16_t)
DYAD_PLACED(4, uint32_t)
DYAD_PLACED(8, uint64_t)
DYAD_PLACED(16, Wide)

}  // namespace dyad::cuda::device
