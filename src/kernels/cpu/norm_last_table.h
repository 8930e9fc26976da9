#pragma once

#include <cstdint>

namespace dyad::kernels {

/// Rows of a matrix whose columns are the channels, one after the other in memory.
struct ChannelRows {
  int64_t rows;
  int64_t channels;
};

/// Loops of batch normalisation where the channels lie innermost. Totals are float64, two per channel: all
/// first ones, then all second ones.
struct NormLastTable {
  /// totals += Σ (x - shift) and Σ (x - shift)² over the rows
  void (*moments)(const ChannelRows& shape, const float* x, const float* shift, double* totals);
  /// out = (x - mean) * scale + bias, plus `added` unless it is null; negative ones become 0 if `rectified`.
  void (*affine)(const ChannelRows& shape, const float* x, const float* mean, const float* scale,
                 const float* bias, const float* added, bool rectified, float* out);
  /// totals += Σ g and Σ g (x - mean); a gradient counts only where `output` is positive, unless it is null
  void (*gradient_moments)(const ChannelRows& shape, const float* gradient, const float* x,
                           const float* output, const float* mean, double* totals);
  /// out = g a + (x - mean) b + c, with the same gradients
  void (*combine)(const ChannelRows& shape, const float* gradient, const float* x, const float* output,
                  const float* mean, const float* a, const float* b, const float* c, float* out);
};

namespace baseline {
extern const NormLastTable norm_last_table;
}
namespace avx2 {
extern const NormLastTable norm_last_table;
}
namespace avx512 {
extern const NormLastTable norm_last_table;
}

}  // namespace dyad::kernels
