#include "kernels/cpu/pool_last_task.h"

#include <algorithm>

namespace dyad::kernels::DYAD_ISA {

static void largest(const PoolLastTask& task, float* out) {
  const float* from = task.image + task.places[0] * task.channels;
#pragma GCC ivdep
  for (int64_t c = 0; c < task.channels; ++c) out[c] = from[c];
  for (int64_t k = 1; k < task.count; ++k) {
    from = task.image + task.places[k] * task.channels;
    // A NaN stays, whichever side it is on.
#pragma GCC ivdep
    for (int64_t c = 0; c < task.channels; ++c)
      out[c] = from[c] > out[c] || from[c] != from[c] ? from[c] : out[c];
  }
}

/// Channels whose places are looked for at a time.
static constexpr int64_t kBlock = 256;

static void largest_with_places(const PoolLastTask& task, float* out, int64_t* found) {
  for (int64_t start = 0; start < task.channels; start += kBlock) {
    const int64_t channels = std::min(kBlock, task.channels - start);
    // Turns are as wide as the elements, so that both are compared in the same lanes.
    int32_t turn[kBlock] = {};
    float best[kBlock];
    const float* from = task.image + task.places[0] * task.channels + start;
    for (int64_t c = 0; c < channels; ++c) best[c] = from[c];
    for (int64_t k = 1; k < task.count; ++k) {
      from = task.image + task.places[k] * task.channels + start;
      const auto now = static_cast<int32_t>(k);
#pragma GCC ivdep
      for (int64_t c = 0; c < channels; ++c) {
        const float x = from[c];
        const float so_far = best[c];
        const int32_t before = turn[c];
        const bool better = !(x <= so_far) & (so_far == so_far);  // a NaN is larger than any number
        turn[c] = better ? now : before;
        best[c] = better ? x : so_far;
      }
    }
    for (int64_t c = 0; c < channels; ++c) {
      out[start + c] = best[c];
      found[start + c] = task.places[turn[c]];
    }
  }
}

static void total(const PoolLastTask& task, float divisor, float* out) {
  for (int64_t c = 0; c < task.channels; ++c) out[c] = 0.0f;
  for (int64_t k = 0; k < task.count; ++k) {
    const float* from = task.image + task.places[k] * task.channels;
#pragma GCC ivdep
    for (int64_t c = 0; c < task.channels; ++c) out[c] += from[c];
  }
  for (int64_t c = 0; c < task.channels; ++c) out[c] /= divisor;
}

extern constinit const PoolLastTable pool_last_table = {largest, largest_with_places, total};

}  // namespace dyad::kernels::DYAD_ISA
