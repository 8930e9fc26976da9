#pragma once

#include <cstdint>
#include <vector>

#include "data/image/resize.h"
#include "data/image/resize_taps.h"

namespace dyad::data {

/// Along one axis: which neighbouring places of the source each place of the result is made from, and with
/// what weights. Every window lies inside of the source.
struct Taps {
  int64_t count = 0;           ///< places per result
  std::vector<int64_t> first;  ///< the first place, one per result
  std::vector<float> weights;  ///< `count` per result

  int64_t size() const { return static_cast<int64_t>(first.size()); }
  const float* weights_of(int64_t i) const { return weights.data() + i * count; }
};

/// The taps from `from` places to `to`. `shrinks` says whether neither axis grows, which decides what `kArea`
/// means.
Taps taps_for(Interpolation interpolation, int64_t from, int64_t to, bool shrinks);

/// Taps that change nothing.
Taps unchanged_taps(int64_t size);

/// Weights as fixed-point numbers with this many bits after the point; those of one result add up to one
/// exactly.
inline constexpr int kWeightBits = 14;
std::vector<int16_t> fixed_weights(const Taps& taps, int64_t padded_count);

/// Resizes an image of bytes with fixed-point weights: down the columns first, then along the rows.
void resize_bytes(const Image& from, const Image& to, const Taps& down, const Taps& across);

}  // namespace dyad::data
