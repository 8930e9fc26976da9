#pragma once

#include "kernels/cpu/strided.h"
#include "kernels/cuda/params/strided.h"

namespace dyad::kernels {

/// Cuts a walk over strided arrays into parts that one launch can number: fewer than 2^31 elements of at most
/// `cuda::kStridedRank` dimensions. Calls `body(index, count, offset)` for each; `offset[a]` is where the
/// part begins in array `a`. Most walks are one part.
template <int arrays, class Body>
void for_each_part(const StridedLoop& loop, const Body& body) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  struct Cutter {
    const StridedLoop& loop;
    const Body& body;

    void cut(size_t first, int64_t size, const int64_t (&offset)[arrays]) const {
      const size_t rank = loop.shape.size();
      int64_t inner = 1;
      for (size_t d = first + 1; d < rank; ++d) inner *= loop.shape[d];
      const bool fits = rank - first <= static_cast<size_t>(cuda::kStridedRank);
      if (fits && size * inner <= kMost) return launch(first, size, inner, offset);
      const int64_t step = fits && inner <= kMost ? kMost / inner : 1;
      for (int64_t begin = 0; begin < size; begin += step) {
        int64_t moved[arrays];
        for (size_t a = 0; a < arrays; ++a) moved[a] = offset[a] + begin * loop.strides[a][first];
        const int64_t part = std::min(step, size - begin);
        if (part == 1 && first + 1 < rank) {
          cut(first + 1, loop.shape[first + 1], moved);
        } else {
          cut(first, part, moved);
        }
      }
    }

    void launch(size_t first, int64_t size, int64_t inner, const int64_t (&offset)[arrays]) const {
      cuda::StridedIndex<arrays> index;
      index.rank = static_cast<uint32_t>(loop.shape.size() - first);
      for (uint32_t d = 0; d < index.rank; ++d) {
        index.size[d] = static_cast<uint32_t>(d == 0 ? size : loop.shape[first + d]);
        index.divisor[d] = cuda::Divisor::of(index.size[d]);
        for (size_t a = 0; a < arrays; ++a)
          index.stride[a][d] = a < loop.arrays ? loop.strides[a][first + d] : 0;
      }
      body(index, static_cast<uint32_t>(size * inner), offset);
    }
  };
  if (loop.total == 0) return;
  const int64_t start[arrays] = {};
  Cutter{loop, body}.cut(0, loop.shape[0], start);
}

}  // namespace dyad::kernels
