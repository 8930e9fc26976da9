#pragma once

#include <span>
#include <vector>

#include "codegen/loops/computation.h"
#include "codegen/loops/kernel.h"

namespace dyad::codegen {

/// An axis of the domain as it is walked. Tensors are the parameters of the computation, then its results.
struct Axis {
  int64_t size = 1;
  bool reduced = false;
  std::vector<int64_t> strides;  ///< per tensor, in elements
};

/// The axes from the outermost to the innermost, in the order in which the largest tensor lies in memory;
/// axes of size 1 are left out and neighbours that every tensor walks as one are merged. There is a reduced
/// axis if the computation reduces. Empty optional: the layouts do not belong together.
std::optional<std::vector<Axis>> arrange_axes(const Computation& computation, std::span<const Layout> params,
                                              std::span<const Layout> results);

}  // namespace dyad::codegen
