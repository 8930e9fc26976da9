#pragma once

#include <cstdint>

namespace dyad::kernels {

/// Loops of softmax and its kin along an axis of `count` elements. `columns` neighbouring lines are handled
/// together: element i of line j lies at i * stride + j. A line of contiguous elements is stride 1,
/// columns 1.
template <class T>
struct SoftmaxLoops {
  using Forward = void (*)(const T* in, int64_t count, int64_t stride, int64_t columns, T* out);
  using Backward = void (*)(const T* gradient, const T* result, int64_t count, int64_t stride,
                            int64_t columns, T* out);
  Forward softmax;
  Forward log_softmax;
  Forward log_sum;  ///< out[j]: logarithm of the sum of the exponentials of line j
  Backward softmax_grad;
  Backward log_softmax_grad;
};
/// The most columns that one call may handle.
inline constexpr int64_t kSoftmaxColumns = 256;

/// The loops of one instruction set.
struct SoftmaxTable {
  SoftmaxLoops<float> float32;
  SoftmaxLoops<double> float64;
};

namespace baseline {
extern const SoftmaxTable softmax_table;
}
namespace avx2 {
extern const SoftmaxTable softmax_table;
}
namespace avx512 {
extern const SoftmaxTable softmax_table;
}

}  // namespace dyad::kernels
