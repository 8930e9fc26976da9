#include "kernels/cpu/pool_last_task.h"

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

static void largest_with_places(const PoolLastTask& task, float* out, int64_t* found) {
  const float* from = task.image + task.places[0] * task.channels;
  for (int64_t c = 0; c < task.channels; ++c) {
    out[c] = from[c];
    found[c] = task.places[0];
  }
  for (int64_t k = 1; k < task.count; ++k) {
    const int64_t place = task.places[k];
    from = task.image + place * task.channels;
#pragma GCC ivdep
    for (int64_t c = 0; c < task.channels; ++c) {
      const bool better = (from[c] > out[c]) | ((from[c] != from[c]) & (out[c] == out[c]));
      out[c] = better ? from[c] : out[c];
      found[c] = better ? place : found[c];
    }
  }
}

static void total(const PoolLastTask& task, float factor, float* out) {
  for (int64_t c = 0; c < task.channels; ++c) out[c] = 0.0f;
  for (int64_t k = 0; k < task.count; ++k) {
    const float* from = task.image + task.places[k] * task.channels;
#pragma GCC ivdep
    for (int64_t c = 0; c < task.channels; ++c) out[c] += from[c];
  }
  for (int64_t c = 0; c < task.channels; ++c) out[c] *= factor;
}

extern constinit const PoolLastTable pool_last_table = {largest, largest_with_places, total};

}  // namespace dyad::kernels::DYAD_ISA
