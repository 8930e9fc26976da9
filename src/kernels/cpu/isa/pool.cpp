// Pooling in two steps: the rows under a window are combined element by element, then each window takes its
// part of the combined row. Both steps run along memory.

#include <limits>

#include "kernels/cpu/pool_task.h"

namespace dyad::kernels::DYAD_ISA {

struct Largest {
  template <class T>
  static T start() {
    return -std::numeric_limits<T>::infinity();
  }
  /// A NaN stays, whichever side it is on.
  template <class T>
  static T combine(T so_far, T x) {
    return x > so_far || x != x ? x : so_far;
  }
};

struct Total {
  template <class T>
  static T start() {
    return T(0);
  }
  template <class T>
  static T combine(T so_far, T x) {
    return so_far + x;
  }
};

/// The elements of a kernel along dimension `d` that meet the image; the rest, perhaps most of them, meets
/// padding.
struct Met {
  int64_t start;
  int64_t first;
  int64_t last;  ///< one beyond
};
static Met met(const PoolWindow& w, int d, int64_t at) {
  const int64_t start = at * w.stride[d] - w.before[d];
  const int64_t step = w.dilation[d];
  const int64_t first = start < 0 ? (-start + step - 1) / step : 0;
  const int64_t last = start >= w.in[d] ? 0 : (w.in[d] - start + step - 1) / step;
  return {start, first, last < w.kernel[d] ? last : w.kernel[d]};
}

template <class T, class Rule>
static void combine_rows(const PoolWindow& w, const T* plane, int64_t z, int64_t y, T* row) {
  for (int64_t x = 0; x < w.in[2]; ++x) row[x] = Rule::template start<T>();
  const Met depth = met(w, 0, z);
  const Met rows = met(w, 1, y);
  for (int64_t kz = depth.first; kz < depth.last; ++kz) {
    const int64_t iz = depth.start + kz * w.dilation[0];
    for (int64_t ky = rows.first; ky < rows.last; ++ky) {
      const int64_t iy = rows.start + ky * w.dilation[1];
      const T* from = plane + (iz * w.in[1] + iy) * w.in[2];
#pragma GCC ivdep
      for (int64_t x = 0; x < w.in[2]; ++x) row[x] = Rule::combine(row[x], from[x]);
    }
  }
}

/// Windows in [first, last) lie wholly inside the row; the rest must look where it ends.
template <class T, class Rule>
static void combine_columns(const PoolWindow& w, const T* row, T* out) {
  const int64_t reach = (w.kernel[2] - 1) * w.dilation[2];
  int64_t first = (w.before[2] + w.stride[2] - 1) / w.stride[2];
  const int64_t room = w.in[2] - 1 - reach + w.before[2];
  int64_t last = room < 0 ? 0 : room / w.stride[2] + 1;
  if (last > w.out[2]) last = w.out[2];
  if (first > last) first = last;
  for (int64_t x = first; x < last; ++x) out[x] = Rule::template start<T>();
  for (int64_t k = 0; first < last && k < w.kernel[2]; ++k) {
    const T* from = row - w.before[2] + k * w.dilation[2];
#pragma GCC ivdep
    for (int64_t x = first; x < last; ++x) out[x] = Rule::combine(out[x], from[x * w.stride[2]]);
  }
  for (int64_t x = 0; x < w.out[2]; ++x) {
    if (x == first) x = last;
    if (x >= w.out[2]) break;
    T total = Rule::template start<T>();
    const Met columns = met(w, 2, x);
    for (int64_t k = columns.first; k < columns.last; ++k) {
      total = Rule::combine(total, row[columns.start + k * w.dilation[2]]);
    }
    out[x] = total;
  }
}

template <class T, class Rule>
static void pool_plane(const PoolTask& task) {
  const PoolWindow& w = *task.window;
  T* row = static_cast<T*>(task.row);
  T* out = static_cast<T*>(task.out);
  for (int64_t z = 0; z < w.out[0]; ++z) {
    for (int64_t y = 0; y < w.out[1]; ++y, out += w.out[2]) {
      combine_rows<T, Rule>(w, static_cast<const T*>(task.in), z, y, row);
      combine_columns<T, Rule>(w, row, out);
    }
  }
}

extern constinit const PoolTable pool_table = {pool_plane<float, Largest>, pool_plane<double, Largest>,
                                               pool_plane<float, Total>, pool_plane<double, Total>};

}  // namespace dyad::kernels::DYAD_ISA
