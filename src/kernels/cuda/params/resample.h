#pragma once

#include <cstdint>

#include "kernels/scalar/grid_taps.h"
#include "kernels/scalar/resample.h"

namespace dyad::cuda {

/// The middle dimension of (outer, axis, inner) resized, or the gradient of that brought back; in float32 or
/// float64.
struct ResampleParams {
  void* to;
  const void* from;
  int64_t outer;
  int64_t inner;
  kernels::ResampledAxis axis;
};

/// Images sampled at the points of a grid.
struct GridSampleParams {
  void* out;
  const void* images;
  const void* grid;
  kernels::GridSampling sampling;
};

}  // namespace dyad::cuda
