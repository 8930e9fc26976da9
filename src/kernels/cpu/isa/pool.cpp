// Pooling in two steps: the rows under a window are combined element by element, then each window takes its
// part of the combined row. Both steps run along memory.

#include <algorithm>
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

// Among equal elements the first in row-major order is the largest, and NaN is larger than any number.
static constexpr int32_t kNever = std::numeric_limits<int32_t>::max();

template <class T>
static inline bool comes_first(T x, int32_t turn, T so_far, int32_t turn_so_far) {
  const bool greater = (x > so_far) | ((x != x) & (so_far == so_far));
  const bool same = (x == so_far) | ((x != x) & (so_far != so_far));
  return greater | (same & (turn < turn_so_far));
}

/// The largest element of each column under the windows of one row of positions, and its row's turn.
template <class T>
static void find_in_rows(const PoolPlacesTask& task, int64_t z, int64_t y) {
  const PoolWindow& w = *task.window;
  T* row = static_cast<T*>(task.row);
  int32_t* row_turn = task.row_turn;
  for (int64_t x = 0; x < w.in[2]; ++x) {
    row[x] = -std::numeric_limits<T>::infinity();
    row_turn[x] = kNever;
  }
  int32_t turn = 0;
  for (int64_t kz = 0; kz < w.kernel[0]; ++kz) {
    for (int64_t ky = 0; ky < w.kernel[1]; ++ky, ++turn) {
      const int64_t iz = z * w.stride[0] - w.before[0] + kz * w.dilation[0];
      const int64_t iy = y * w.stride[1] - w.before[1] + ky * w.dilation[1];
      if (iz < 0 || iz >= w.in[0] || iy < 0 || iy >= w.in[1]) continue;
      task.row_start[turn] = (iz * w.in[1] + iy) * w.in[2];
      const T* from = static_cast<const T*>(task.in) + task.row_start[turn];
#pragma GCC ivdep
      for (int64_t x = 0; x < w.in[2]; ++x) {
        const bool better = comes_first(from[x], turn, row[x], row_turn[x]);
        row[x] = better ? from[x] : row[x];
        row_turn[x] = better ? turn : row_turn[x];
      }
    }
  }
}

/// The largest of the columns of each window.
template <class T>
static void find_in_columns(const PoolPlacesTask& task, T* out, int64_t* places) {
  const PoolWindow& w = *task.window;
  const T* row = static_cast<const T*>(task.row);
  const int32_t* row_turn = task.row_turn;
  int32_t* turn = task.turn;
  int32_t* column = task.column;
  for (int64_t x = 0; x < w.out[2]; ++x) {
    out[x] = -std::numeric_limits<T>::infinity();
    turn[x] = kNever;
  }
  for (int64_t k = 0; k < w.kernel[2]; ++k) {
    const int64_t shift = k * w.dilation[2] - w.before[2];
    const int64_t first = shift < 0 ? (-shift + w.stride[2] - 1) / w.stride[2] : 0;
    const int64_t room = w.in[2] - 1 - shift;
    const int64_t last = room < 0 ? 0 : std::min(w.out[2], room / w.stride[2] + 1);
    const auto step = static_cast<int32_t>(w.stride[2]);
#pragma GCC ivdep
    for (auto x = static_cast<int32_t>(first); x < static_cast<int32_t>(last); ++x) {
      const auto at = static_cast<int32_t>(x * step + shift);
      const bool better = comes_first(row[at], row_turn[at], out[x], turn[x]);
      out[x] = better ? row[at] : out[x];
      turn[x] = better ? row_turn[at] : turn[x];
      column[x] = better ? at : column[x];
    }
  }
  for (int64_t x = 0; x < w.out[2]; ++x) {
    places[x] = turn[x] == kNever ? 0 : task.row_start[turn[x]] + column[x];
  }
}

template <class T>
static void find_places(const PoolPlacesTask& task) {
  const PoolWindow& w = *task.window;
  int64_t done = 0;
  for (int64_t z = 0; z < w.out[0]; ++z) {
    for (int64_t y = 0; y < w.out[1]; ++y, done += w.out[2]) {
      find_in_rows<T>(task, z, y);
      find_in_columns<T>(task, static_cast<T*>(task.out) + done, task.places + done);
    }
  }
}

extern constinit const PoolTable pool_table = {pool_plane<float, Largest>, pool_plane<double, Largest>,
                                               pool_plane<float, Total>,   pool_plane<double, Total>,
                                               find_places<float>,         find_places<double>};

}  // namespace dyad::kernels::DYAD_ISA
