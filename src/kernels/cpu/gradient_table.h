#pragma once

#include <cstdint>

namespace dyad::kernels {

/// Loops over contiguous elements that look at all gradients of a network at once.
template <class T>
struct GradientLoops {
  T (*square_sum)(int64_t count, const T* in);
  void (*scale)(int64_t count, const T* in, T factor, T* out);
  bool (*all_finite)(int64_t count, const T* in);
  /// out = x * factor_x + y * factor_y
  void (*combine)(int64_t count, const T* x, T factor_x, const T* y, T factor_y, T* out);
};

/// The loops of one instruction set.
struct GradientTable {
  GradientLoops<float> float32;
  GradientLoops<double> float64;
};

namespace baseline {
extern const GradientTable gradient_table;
}
namespace avx2 {
extern const GradientTable gradient_table;
}
namespace avx512 {
extern const GradientTable gradient_table;
}

}  // namespace dyad::kernels
