#pragma once

#include <cstdint>

namespace dyad::kernels {

/// How a pooling window moves over a plane of up to three spatial dimensions (depth, height, width; missing
/// ones are 1).
struct PoolWindow {
  int64_t in[3];
  int64_t out[3];
  int64_t kernel[3];
  int64_t stride[3];
  int64_t before[3];  ///< padding in front
  int64_t after[3];   ///< padding behind
  int64_t dilation[3];

  int64_t in_size() const { return in[0] * in[1] * in[2]; }
  int64_t out_size() const { return out[0] * out[1] * out[2]; }
};

/// One plane. `row` is room for one row of the image.
struct PoolTask {
  const PoolWindow* window;
  const void* in;
  void* out;
  void* row;
};
using PoolPlane = void (*)(const PoolTask& task);

/// One plane whose largest elements are looked for together with their places. `rows` counts the rows of a
/// window over all its depths.
struct PoolPlacesTask {
  const PoolWindow* window;
  const void* in;
  void* out;
  int64_t* places;
  void* row;           ///< room for one row of the image
  int32_t* row_turn;   ///< for each element of that row, which of the window's rows it is from
  int32_t* turn;       ///< the same for each position of a row of the result
  int32_t* column;     ///< and the column
  int64_t* row_start;  ///< where in the plane each of the window's rows begins
  int64_t rows() const { return window->kernel[0] * window->kernel[1]; }
};
using PoolPlaces = void (*)(const PoolPlacesTask& task);

/// The loops of one instruction set.
struct PoolTable {
  PoolPlane max_float;
  PoolPlane max_double;
  PoolPlane sum_float;  ///< sums of the windows; what lies in the padding counts as nothing
  PoolPlane sum_double;
  PoolPlaces places_float;
  PoolPlaces places_double;
};

namespace baseline {
extern const PoolTable pool_table;
}
namespace avx2 {
extern const PoolTable pool_table;
}
namespace avx512 {
extern const PoolTable pool_table;
}

}  // namespace dyad::kernels
