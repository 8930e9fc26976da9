#pragma once

#include "kernels/cpu/pool_task.h"

namespace dyad::kernels {

/// One position of a window over an image whose channels lie innermost. `places` are where in the image the
/// elements under the window stand, in row-major order; there are `count` of them.
struct PoolLastTask {
  const float* image;
  int64_t channels;
  const int64_t* places;
  int64_t count;
};

/// The loops of one instruction set: the largest element, or the sum, of each channel.
struct PoolLastTable {
  void (*largest)(const PoolLastTask& task, float* out);
  /// The same with the place of each; among equal ones the first.
  void (*largest_with_places)(const PoolLastTask& task, float* out, int64_t* found);
  /// The sum over `divisor`.
  void (*total)(const PoolLastTask& task, float divisor, float* out);
};

namespace baseline {
extern const PoolLastTable pool_last_table;
}
namespace avx2 {
extern const PoolLastTable pool_last_table;
}
namespace avx512 {
extern const PoolLastTable pool_last_table;
}

}  // namespace dyad::kernels
