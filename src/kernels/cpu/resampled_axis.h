#pragma once

#include "kernels/scalar/resample.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

/// Spatial dimension number `spatial` of a call (input, sizes, mode, coordinates, scales) that resizes a
/// tensor of shape `small` to `large`.
inline ResampledAxis resampled_axis(const KernelCall& call, const Shape& small, const Shape& large,
                                    size_t spatial) {
  const std::string& mode = call.text(2);
  const std::string& coordinates = call.text(3);
  ResampledAxis axis{.in = small[spatial + 2].value(),
                     .out = large[spatial + 2].value(),
                     .step = 1,
                     .corners = coordinates == "align_corners",
                     .half_pixel = coordinates == "half_pixel",
                     .mode = mode == "nearest"           ? Resampling::kNearest
                             : mode == "nearest-exact"   ? Resampling::kNearestExact
                             : mode == "cubic"           ? Resampling::kCubic
                             : mode == "tabulated_cubic" ? Resampling::kTabulatedCubic
                                                         : Resampling::kLinear};
  axis.step = static_cast<double>(axis.in) / static_cast<double>(axis.out);
  if (call.has(4) && call.floats(4)[spatial] > 0) axis.step = 1 / call.floats(4)[spatial];
  return axis;
}

}  // namespace dyad::kernels
