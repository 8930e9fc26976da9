// Pooling: a thread for each element of the result, or of the gradient.

#include <limits>

#include "kernels/cuda/device/storage.h"

#include "kernels/cuda/device/faults.h"
#include "kernels/cuda/params/pool.h"

namespace dyad::cuda::device {

using kernels::PoolWindow;

DYAD_DEVICE_INLINE int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
DYAD_DEVICE_INLINE int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/// The places of a window along dimension `d` that lie inside of the image.
struct Inside {
  int64_t first;
  int64_t last;  ///< one beyond
  DYAD_DEVICE_INLINE Inside(const PoolWindow& w, int d, int64_t at) {
    const int64_t start = at * w.stride[d] - w.before[d];
    const int64_t step = w.dilation[d];
    first = start + (start < 0 ? (-start + step - 1) / step : 0) * step;
    last = smaller(w.in[d], start + (w.kernel[d] - 1) * step + 1);
  }
};

template <class Visit>
DYAD_DEVICE_INLINE void each_place(const PoolWindow& w, int64_t position, Visit visit) {
  const Inside depth(w, 0, position / w.out[2] / w.out[1]);
  const Inside rows(w, 1, position / w.out[2] % w.out[1]);
  const Inside columns(w, 2, position % w.out[2]);
  for (int64_t z = depth.first; z < depth.last; z += w.dilation[0]) {
    for (int64_t y = rows.first; y < rows.last; y += w.dilation[1]) {
      for (int64_t x = columns.first; x < columns.last; x += w.dilation[2])
        visit((z * w.in[1] + y) * w.in[2] + x);
    }
  }
}

DYAD_DEVICE_INLINE double divisor_at(const PoolParams& p, int64_t position) {
  if (p.fixed_divisor) return static_cast<double>(p.fixed_divisor);
  const PoolWindow& w = p.window;
  const int64_t place[3] = {position / w.out[2] / w.out[1], position / w.out[2] % w.out[1],
                            position % w.out[2]};
  int64_t count = 1;
  for (int d = 0; d < 3; ++d) {
    const int64_t start = place[d] * w.stride[d] - w.before[d];
    const int64_t stop = smaller(start + w.kernel[d], w.in[d] + (p.count_padding ? w.after[d] : 0));
    count *= larger(0, stop - larger(start, p.count_padding ? -w.before[d] : 0));
  }
  return static_cast<double>(larger(1, count));
}

template <class S>
DYAD_DEVICE_INLINE void max_pool(const PoolParams& p) {
  using T = Computed<S>;
  const int64_t out_size = p.window.out_size();
  DYAD_FOR_EACH(i, p.planes * out_size) {
    const S* in = static_cast<const S*>(p.in) + i / out_size * p.window.in_size();
    T best = -std::numeric_limits<T>::infinity();
    int64_t place = -1;
    each_place(p.window, i % out_size, [&](int64_t at) {
      const T x = static_cast<T>(in[at]);
      if (place < 0 || x > best || (x != x && best == best)) {
        best = x;
        place = at;
      }
    });
    static_cast<S*>(p.out)[i] = S(best);
    if (p.places) p.places[i] = place < 0 ? 0 : place;
  }
}

template <class S>
DYAD_DEVICE_INLINE void average_pool(const PoolParams& p) {
  using T = Computed<S>;
  const int64_t out_size = p.window.out_size();
  DYAD_FOR_EACH(i, p.planes * out_size) {
    const S* in = static_cast<const S*>(p.in) + i / out_size * p.window.in_size();
    T total = 0;
    each_place(p.window, i % out_size, [&](int64_t at) { total += static_cast<T>(in[at]); });
    static_cast<S*>(p.out)[i] = S(total / static_cast<T>(divisor_at(p, i % out_size)));
  }
}

/// The windows along dimension `d` that hold place `x`; averages know no dilation.
struct Windows {
  int64_t first;
  int64_t last;  ///< one beyond
  DYAD_DEVICE_INLINE Windows(const PoolWindow& w, int d, int64_t x) {
    const int64_t shifted = x + w.before[d];
    first = shifted < w.kernel[d] ? 0 : (shifted - w.kernel[d]) / w.stride[d] + 1;
    last = smaller(w.out[d], shifted / w.stride[d] + 1);
  }
};

/// `in` is the gradient of the result, in its shape; `out` is that of the image.
template <class S>
DYAD_DEVICE_INLINE void average_pool_grad(const PoolParams& p) {
  using T = Computed<S>;
  const PoolWindow& w = p.window;
  DYAD_FOR_EACH(i, p.planes * w.in_size()) {
    const int64_t place = i % w.in_size();
    const S* in = static_cast<const S*>(p.in) + i / w.in_size() * w.out_size();
    const Windows depth(w, 0, place / w.in[2] / w.in[1]);
    const Windows rows(w, 1, place / w.in[2] % w.in[1]);
    const Windows columns(w, 2, place % w.in[2]);
    T total = 0;
    for (int64_t z = depth.first; z < depth.last; ++z) {
      for (int64_t y = rows.first; y < rows.last; ++y) {
        for (int64_t x = columns.first; x < columns.last; ++x) {
          const int64_t position = (z * w.out[1] + y) * w.out[2] + x;
          total += static_cast<T>(in[position]) / static_cast<T>(divisor_at(p, position));
        }
      }
    }
    static_cast<S*>(p.out)[i] = S(total);
  }
}

/// Computed in T; what meets at a place is added up.
template <class T>
DYAD_DEVICE_INLINE void unpool_add(const UnpoolParams& p) {
  DYAD_FOR_EACH(i, p.planes * p.count) {
    const int64_t at = checked_index(p.places[i], p.room, p.fault, p.ticket);
    atomic_add(static_cast<T*>(p.out) + i / p.count * p.room + at, static_cast<const T*>(p.in)[i]);
  }
}
template <class T>
DYAD_DEVICE_INLINE void unpool_write(const UnpoolParams& p) {
  DYAD_FOR_EACH(i, p.planes * p.count) {
    const int64_t at = checked_index(p.places[i], p.room, p.fault, p.ticket);
    static_cast<T*>(p.out)[i / p.count * p.room + at] = static_cast<const T*>(p.in)[i];
  }
}

/// The part of `in` elements that element `at` of `out` looks at.
struct Part {
  int64_t begin;
  int64_t end;
  DYAD_DEVICE_INLINE Part(int64_t at, int64_t out, int64_t in)
      : begin(at * in / out), end(((at + 1) * in + out - 1) / out) {}
};

template <class S, class Visit>
DYAD_DEVICE_INLINE void each_in_part(const AdaptivePoolParams& p, int64_t position, Visit visit) {
  const Part depth(position / p.out_size[2] / p.out_size[1], p.out_size[0], p.in_size[0]);
  const Part rows(position / p.out_size[2] % p.out_size[1], p.out_size[1], p.in_size[1]);
  const Part columns(position % p.out_size[2], p.out_size[2], p.in_size[2]);
  for (int64_t z = depth.begin; z < depth.end; ++z) {
    for (int64_t y = rows.begin; y < rows.end; ++y) {
      for (int64_t x = columns.begin; x < columns.end; ++x) visit((z * p.in_size[1] + y) * p.in_size[2] + x);
    }
  }
}

template <class S>
DYAD_DEVICE_INLINE void adaptive_average(const AdaptivePoolParams& p) {
  using T = Computed<S>;
  const int64_t out_size = p.out_size[0] * p.out_size[1] * p.out_size[2];
  const int64_t in_size = p.in_size[0] * p.in_size[1] * p.in_size[2];
  DYAD_FOR_EACH(i, p.planes * out_size) {
    const S* in = static_cast<const S*>(p.in) + i / out_size * in_size;
    T total = 0;
    int64_t count = 0;
    each_in_part<S>(p, i % out_size, [&](int64_t at) {
      total += static_cast<T>(in[at]);
      ++count;
    });
    static_cast<S*>(p.out)[i] = S(total / static_cast<T>(count));
  }
}

template <class S>
DYAD_DEVICE_INLINE void adaptive_max(const AdaptivePoolParams& p) {
  using T = Computed<S>;
  const int64_t out_size = p.out_size[0] * p.out_size[1] * p.out_size[2];
  const int64_t in_size = p.in_size[0] * p.in_size[1] * p.in_size[2];
  DYAD_FOR_EACH(i, p.planes * out_size) {
    const S* in = static_cast<const S*>(p.in) + i / out_size * in_size;
    int64_t place = -1;
    T best = 0;
    each_in_part<S>(p, i % out_size, [&](int64_t at) {
      const T x = static_cast<T>(in[at]);
      if (place < 0 || x > best || (x != x && best == best)) {
        best = x;
        place = at;
      }
    });
    static_cast<S*>(p.out)[i] = S(best);
    p.places[i] = place;
  }
}

/// The elements of the result, along one dimension, whose parts hold place `x`.
struct Holders {
  int64_t first;
  int64_t last;  ///< one beyond
  DYAD_DEVICE_INLINE Holders(int64_t x, int64_t out, int64_t in)
      : first(x * out / in), last(((x + 1) * out + in - 1) / in) {}
};

/// `in` is the gradient of the result; sizes are those of the forward pass.
template <class S>
DYAD_DEVICE_INLINE void adaptive_average_grad(const AdaptivePoolParams& p) {
  using T = Computed<S>;
  const int64_t out_size = p.out_size[0] * p.out_size[1] * p.out_size[2];
  const int64_t in_size = p.in_size[0] * p.in_size[1] * p.in_size[2];
  DYAD_FOR_EACH(i, p.planes * in_size) {
    const int64_t place = i % in_size;
    const S* in = static_cast<const S*>(p.in) + i / in_size * out_size;
    const Holders depth(place / p.in_size[2] / p.in_size[1], p.out_size[0], p.in_size[0]);
    const Holders rows(place / p.in_size[2] % p.in_size[1], p.out_size[1], p.in_size[1]);
    const Holders columns(place % p.in_size[2], p.out_size[2], p.in_size[2]);
    T total = 0;
    for (int64_t z = depth.first; z < depth.last; ++z) {
      const Part deep(z, p.out_size[0], p.in_size[0]);
      for (int64_t y = rows.first; y < rows.last; ++y) {
        const Part high(y, p.out_size[1], p.in_size[1]);
        for (int64_t x = columns.first; x < columns.last; ++x) {
          const Part wide(x, p.out_size[2], p.in_size[2]);
          const auto count =
              static_cast<T>((deep.end - deep.begin) * (high.end - high.begin) * (wide.end - wide.begin));
          total += static_cast<T>(in[(z * p.out_size[1] + y) * p.out_size[2] + x]) / count;
        }
      }
    }
    static_cast<S*>(p.out)[i] = S(total);
  }
}

DYAD_FLOAT_KERNELS(max_pool, PoolParams, max_pool)
DYAD_FLOAT_KERNELS(average_pool, PoolParams, average_pool)
DYAD_FLOAT_KERNELS(average_pool_grad, PoolParams, average_pool_grad)
DYAD_FLOAT_KERNELS(adaptive_average, AdaptivePoolParams, adaptive_average)
DYAD_FLOAT_KERNELS(adaptive_max, AdaptivePoolParams, adaptive_max)
DYAD_FLOAT_KERNELS(adaptive_average_grad, AdaptivePoolParams, adaptive_average_grad)
DYAD_DEVICE_KERNEL(unpool_add_float32, UnpoolParams) { unpool_add<float>(p); }
DYAD_DEVICE_KERNEL(unpool_add_float64, UnpoolParams) { unpool_add<double>(p); }
DYAD_DEVICE_KERNEL(unpool_write_float32, UnpoolParams) { unpool_write<float>(p); }
DYAD_DEVICE_KERNEL(unpool_write_float64, UnpoolParams) { unpool_write<double>(p); }

}  // namespace dyad::cuda::device
