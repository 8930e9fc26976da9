#pragma once

#include "types/shape.h"

namespace dyad::kernels {

/// A contiguous shape seen along one axis: `outer` blocks of `count` rows of `inner` elements. A line is the
/// `count` elements that differ in the axis alone, `inner` apart.
struct AxisView {
  int64_t outer = 1;
  int64_t count = 1;
  int64_t inner = 1;

  /// `axis` counts from the front; a 0-d shape is one line of one element.
  AxisView(const Shape& shape, int64_t axis) {
    for (size_t i = 0; i < shape.size(); ++i) {
      const int64_t size = shape[i].value();
      if (static_cast<int64_t>(i) < axis) {
        outer *= size;
      } else if (static_cast<int64_t>(i) == axis) {
        count = size;
      } else {
        inner *= size;
      }
    }
  }
  int64_t total() const { return outer * count * inner; }
  /// Where line `i` of outer × inner starts.
  int64_t start(int64_t i) const { return i / inner * count * inner + i % inner; }
};

}  // namespace dyad::kernels
