#pragma once

#include <algorithm>

#include "kernels/cpu/pool_task.h"

namespace dyad::kernels {

/// The places of a window along dimension `d` that lie inside the image; most of a kernel may lie in padding.
struct Inside {
  int64_t first;
  int64_t last;  ///< one beyond

  Inside(const PoolWindow& w, int d, int64_t at) {
    const int64_t start = at * w.stride[d] - w.before[d];
    const int64_t step = w.dilation[d];
    const int64_t skipped = start < 0 ? (-start + step - 1) / step : 0;
    first = start + skipped * step;
    last = std::min(w.in[d], start + (w.kernel[d] - 1) * step + 1);
  }
};

/// Calls `body(place)` for each place of the window at an output position that lies inside the image.
template <class Body>
void for_each_place(const PoolWindow& w, int64_t position, const Body& body) {
  const Inside depth(w, 0, position / w.out[2] / w.out[1]);
  const Inside rows(w, 1, position / w.out[2] % w.out[1]);
  const Inside columns(w, 2, position % w.out[2]);
  for (int64_t z = depth.first; z < depth.last; z += w.dilation[0]) {
    for (int64_t y = rows.first; y < rows.last; y += w.dilation[1]) {
      for (int64_t x = columns.first; x < columns.last; x += w.dilation[2]) {
        body((z * w.in[1] + y) * w.in[2] + x);
      }
    }
  }
}

/// What the sum of each window is divided by. Padding may count, but not what a last, partial window has
/// beyond it.
struct Divisor {
  const PoolWindow& w;
  bool count_padding;
  int64_t fixed;  ///< 0: the number of places

  double at(int64_t position) const {
    if (fixed) return static_cast<double>(fixed);
    const int64_t place[3] = {position / w.out[2] / w.out[1], position / w.out[2] % w.out[1],
                              position % w.out[2]};
    int64_t count = 1;
    for (int d = 0; d < 3; ++d) {
      const int64_t start = place[d] * w.stride[d] - w.before[d];
      const int64_t stop = std::min(start + w.kernel[d], w.in[d] + (count_padding ? w.after[d] : 0));
      count *= std::max<int64_t>(0, stop - std::max<int64_t>(start, count_padding ? -w.before[d] : 0));
    }
    return static_cast<double>(std::max<int64_t>(1, count));
  }
};

}  // namespace dyad::kernels
