#pragma once

#include <algorithm>

#include "base/parallel.h"
#include "kernels/cpu/axis_view.h"
#include "kernels/cpu/softmax_table.h"

namespace dyad::kernels {

/// Calls `body(offset, columns, group)` for every bundle of lines, on several threads where that pays: a
/// single contiguous line, or neighbours in columns. `group` is the position of the first line in
/// outer × inner.
template <class Body>
void for_each_bundle(const AxisView& lines, const Body& body) {
  constexpr int64_t kGrain = 1 << 13;
  if (lines.total() == 0) return;
  const int64_t tiles = (lines.inner + kSoftmaxColumns - 1) / kSoftmaxColumns;
  const int64_t work = lines.count * std::min(lines.inner, kSoftmaxColumns);
  parallel_for(lines.outer * tiles, std::max<int64_t>(kGrain / work, 1), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t outer = i / tiles;
      const int64_t column = i % tiles * kSoftmaxColumns;
      const int64_t columns = std::min(kSoftmaxColumns, lines.inner - column);
      body(outer * lines.count * lines.inner + column, columns, outer * lines.inner + column);
    }
  });
}

}  // namespace dyad::kernels
