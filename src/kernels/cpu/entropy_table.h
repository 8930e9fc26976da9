#pragma once

#include <cstdint>

namespace dyad::kernels {

/// Loops of cross entropy along lines of `count` classes. As in SoftmaxLoops, `columns` neighbouring lines
/// are handled together and element i of line j lies at i * stride + j. `shift[j]` is the logarithm of the
/// sum of the exponentials of line j, so that exp(in - shift) are its probabilities.
template <class T>
struct EntropyLoops {
  /// out = scale[j] exp(in - shift[j])
  void (*shares)(const T* in, int64_t count, int64_t stride, int64_t columns, const T* shift, const T* scale,
                 T* out);
  /// out[j] = Σ weight[i] (shift[j] - in); without weights, all are 1.
  void (*spread)(const T* in, const T* weight, int64_t count, int64_t stride, int64_t columns, const T* shift,
                 T* out);
  /// out[j] = Σ target (shift[j] - in), with targets laid out as the input.
  void (*expected)(const T* in, const T* target, int64_t count, int64_t stride, int64_t columns,
                   const T* shift, T* out);
  /// out = scale[j] (exp(in - shift[j]) Σ target - target)
  void (*expected_grad)(const T* in, const T* target, int64_t count, int64_t stride, int64_t columns,
                        const T* shift, const T* scale, T* out);
};

/// The loops of one instruction set.
struct EntropyTable {
  EntropyLoops<float> float32;
  EntropyLoops<double> float64;
};

namespace baseline {
extern const EntropyTable entropy_table;
}
namespace avx2 {
extern const EntropyTable entropy_table;
}
namespace avx512 {
extern const EntropyTable entropy_table;
}

}  // namespace dyad::kernels
