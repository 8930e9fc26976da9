#pragma once

#include <cstdint>

namespace dyad::kernels {

/// Elements in runs of one length: run r begins at r * step.
struct Runs {
  int64_t count;
  int64_t step;
  int64_t length;
};

/// Loops of the normalisations. Sums are taken in float64 from blocks of lanes that are the same for every
/// instruction set. A null weight stands for ones, a null bias for zeros; both belong to a single run.
template <class T>
struct NormLoops {
  /// Σ x
  double (*sum)(const T* x, const Runs& runs);
  /// Σ (x - mean)²
  double (*spread)(const T* x, const Runs& runs, T mean);
  /// out = (x - mean) * scale * weight + bias
  void (*normalize)(const T* x, int64_t count, T mean, T scale, const T* weight, const T* bias, T* out);
  /// out = (x - mean) * scale + shift
  void (*affine)(const T* x, const Runs& runs, T mean, T scale, T shift, T* out);
  /// Σ g w and Σ g w (x - mean)
  void (*moments)(const T* gradient, const T* x, const Runs& runs, T mean, const T* weight, double* plain,
                  double* scaled);
  /// out = g w a + (x - mean) b + c
  void (*combine)(const T* gradient, const T* x, const Runs& runs, T mean, const T* weight, T a, T b, T c,
                  T* out);
  /// weight_gradient += g (x - mean) * scale; bias_gradient += g
  void (*parameters)(const T* gradient, const T* x, int64_t count, T mean, T scale, T* weight_gradient,
                     T* bias_gradient);
};

/// The loops of one instruction set.
struct NormTable {
  NormLoops<float> float32;
  NormLoops<double> float64;
};

namespace baseline {
extern const NormTable norm_table;
}
namespace avx2 {
extern const NormTable norm_table;
}
namespace avx512 {
extern const NormTable norm_table;
}

}  // namespace dyad::kernels
