// The softmax of masked scores, in their place: a warp or a block for each query.

#include "kernels/cuda/params/attention.h"

#include <limits>

#include "kernels/cuda/device/row_per_warp.h"
#include "kernels/cuda/device/strided.h"
#include "kernels/cuda/params/lines.h"

namespace dyad::cuda::device {

template <class S, class Team, int kept>
DYAD_DEVICE_INLINE void weigh_keys(const AttentionParams& p) {
  using T = Computed<S>;
  DYAD_SHARED(T, places, kMostWarps);
  for (int64_t number = Team::first_line(); number < p.lines; number += Team::line_step()) {
    const int64_t visible = p.causal ? p.first + number % p.queries + 1 : p.keys;
    int64_t at[1] = {0};
    if (p.mask) find_element<1>(p.mask_lines, static_cast<uint32_t>(number), at);
    const S* mask = static_cast<const S*>(p.mask) + at[0];
    const auto score = [&](int64_t i, T x) {
      if (i >= visible) return -std::numeric_limits<T>::infinity();
      return p.mask ? x + static_cast<T>(mask[i * p.mask_step]) : x;
    };
    S* scores = static_cast<S*>(p.scores) + number * p.keys;
    TeamLine<S, Team, kept> line(scores, p.keys);
    T largest = -std::numeric_limits<T>::infinity();
    line.each([&](int64_t i, T x) { largest = greater_of(largest, score(i, x)); });
    largest = Team::reduce(largest, Maximum(), places);
    // The exponentials of a line that is kept are taken once.
    T total = 0;
    line.each([&](int64_t i, T& x) {
      x = math::exp(score(i, x) - largest);
      total += x;
    });
    total = Team::reduce(total, Sum(), places);
    const T scale = T(1) / total;
    const bool taken = line.kept_in_registers();
    line.store(scores,
               [&](int64_t i, T x) { return (taken ? x : math::exp(score(i, x) - largest)) * scale; });
  }
}

DYAD_TEAM_KERNELS(weigh_keys, AttentionParams, weigh_keys)

}  // namespace dyad::cuda::device
