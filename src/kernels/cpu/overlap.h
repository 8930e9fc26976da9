#pragma once

#include <utility>

#include "types/value.h"

namespace dyad::kernels {

/// First byte and the byte after the last one that a value with elements touches.
inline std::pair<const char*, const char*> extent(const ValueImpl& value) {
  int64_t low = 0;
  int64_t high = 0;
  for (size_t d = 0; d < value.shape.size(); ++d) {
    const int64_t reach = (value.shape[d].value() - 1) * value.strides[d];
    (reach < 0 ? low : high) += reach;
  }
  const int64_t bytes = itemsize(value.dtype);
  return {value.as<char>() + low * bytes, value.as<char>() + (high + 1) * bytes};
}

/// Whether two values with elements may share a byte.
inline bool overlap(const ValueImpl& a, const ValueImpl& b) {
  const auto [a_begin, a_end] = extent(a);
  const auto [b_begin, b_end] = extent(b);
  return a_begin < b_end && b_begin < a_end;
}

}  // namespace dyad::kernels
