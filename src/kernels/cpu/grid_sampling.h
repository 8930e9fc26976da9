#pragma once

#include "kernels/scalar/grid_taps.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

/// Of a call whose mode, padding mode and align_corners are the arguments from `first` on.
inline GridSampling grid_sampling(const Shape& image, const Shape& grid, const KernelCall& call,
                                  size_t first) {
  const size_t spatial = image.size() - 2;
  GridSampling s{.images = image[0].value(),
                 .channels = image[1].value(),
                 .in = {1, 1, 1},
                 .points = 1,
                 .spatial = static_cast<int>(spatial),
                 .nearest = call.text(first) == "nearest",
                 .border = call.text(first + 1) == "border",
                 .reflection = call.text(first + 1) == "reflection",
                 .corners = call.flag(first + 2)};
  for (size_t d = 0; d < spatial; ++d) {
    s.in[3 - spatial + d] = image[d + 2].value();
    s.points *= grid[d + 1].value();
  }
  return s;
}

}  // namespace dyad::kernels
