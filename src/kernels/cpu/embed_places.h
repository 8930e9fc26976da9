#pragma once

// Where a tensor lies inside of a larger one that surrounds it: the same on every device.

#include <algorithm>

#include "kernels/cpu/window.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

/// (input, shape, starts, ends, steps): the box of the result that the input goes to.
inline Window slice_place(const KernelCall& call) {
  ValueImpl& out = call.out();
  Strides strides = out.strides;
  int64_t offset = 0;
  const Dims& starts = call.dims(2);
  for (size_t d = 0; d < starts.size(); ++d) {
    offset += starts[d].value() * out.strides[d];
    // A step past a single element goes nowhere and may be any number.
    if (call.in(0).shape[d].value() > 1) strides[d] *= call.dims(4)[d].value();
  }
  return {out, call.in(0).shape, strides, offset};
}

/// (input, shape, offset, axis1, axis2): the diagonal of the result that the input goes to.
inline Window diagonal_place(const KernelCall& call) {
  ValueImpl& out = call.out();
  const auto rows = static_cast<size_t>(normalize_axis(call.op(), call.integer(3), out.rank()));
  const auto columns = static_cast<size_t>(normalize_axis(call.op(), call.integer(4), out.rank()));
  const int64_t shift = call.integer(2);
  Strides strides;
  for (size_t d = 0; d < out.shape.size(); ++d) {
    if (d != rows && d != columns) strides.push_back(out.strides[d]);
  }
  strides.push_back(out.strides[rows] + out.strides[columns]);
  const int64_t offset = shift >= 0 ? shift * out.strides[columns] : -shift * out.strides[rows];
  return {out, call.in(0).shape, strides, offset};
}

/// (input, before, after, number): what is left of the input, and where it goes. Both sides lose what
/// negative margins cut off, so that they have one shape.
struct PaddedPlaces {
  Shape shape;
  int64_t from = 0;  ///< in the input, in elements
  int64_t to = 0;    ///< in the result

  explicit PaddedPlaces(const KernelCall& call) : shape(call.in(0).shape) {
    const ValueImpl& input = call.in(0);
    for (size_t d = 0; d < shape.size(); ++d) {
      const int64_t before = call.dims(1)[d].value();
      const int64_t after = call.dims(2)[d].value();
      shape[d] = std::max<int64_t>(
          0, input.shape[d].value() + std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0));
      from += std::max<int64_t>(0, -before) * input.strides[d];
      to += std::max<int64_t>(0, before) * call.out().strides[d];
    }
  }
};

}  // namespace dyad::kernels
