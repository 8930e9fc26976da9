// Where true elements lie: counted by chunks first, then written in order.

#include "kernels/cuda/params/nonzero.h"
#include "kernels/cuda/device/intrinsics.h"

namespace dyad::cuda::device {

inline constexpr uint32_t kMostWarps = 32;

/// How many true elements lie before this thread's in the block, and in the whole block.
struct Rank {
  uint32_t before;
  uint32_t all;
};
DYAD_DEVICE_INLINE Rank rank_of(bool mine, uint32_t* warps) {
  const uint32_t votes = ballot(mine);
  const uint32_t warp = thread_x() / kWarpSize;
  if (lane() == 0) warps[warp] = static_cast<uint32_t>(__builtin_popcount(votes));
  sync_threads();
  Rank rank{static_cast<uint32_t>(__builtin_popcount(votes & ((1u << lane()) - 1))), 0};
  for (uint32_t w = 0; w < threads_x() / kWarpSize; ++w) {
    if (w < warp) rank.before += warps[w];
    rank.all += warps[w];
  }
  sync_threads();
  return rank;
}

DYAD_DEVICE_KERNEL(nonzero_count, NonzeroParams) {
  DYAD_SHARED(uint32_t, warps, kMostWarps);
  for (int64_t chunk = block_x(); chunk < p.chunks; chunk += blocks_x()) {
    int64_t total = 0;
    for (int64_t done = 0; done < kNonzeroChunk; done += threads_x()) {
      const int64_t i = chunk * kNonzeroChunk + done + thread_x();
      total += rank_of(i < p.count && p.truth[i], warps).all;
    }
    if (thread_x() == 0) p.counts[chunk] = total;
  }
}

DYAD_DEVICE_KERNEL(nonzero_write, NonzeroParams) {
  DYAD_SHARED(uint32_t, warps, kMostWarps);
  for (int64_t chunk = block_x(); chunk < p.chunks; chunk += blocks_x()) {
    int64_t row = p.first[chunk];
    for (int64_t done = 0; done < kNonzeroChunk; done += threads_x()) {
      const int64_t i = chunk * kNonzeroChunk + done + thread_x();
      const bool mine = i < p.count && p.truth[i];
      const Rank rank = rank_of(mine, warps);
      if (mine) {
        int64_t* to = p.rows + (row + rank.before) * p.rank;
        int64_t rest = i;
        for (int64_t d = p.rank; d-- > 0;) {
          to[d] = rest % p.size[d];
          rest /= p.size[d];
        }
      }
      row += rank.all;
    }
  }
}

}  // namespace dyad::cuda::device
