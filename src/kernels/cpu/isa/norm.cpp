#include "kernels/cpu/norm_table.h"

#include <algorithm>

namespace dyad::kernels::DYAD_ISA {

static constexpr int64_t kLanes = 64;
/// Elements added up in T before the sum moves to float64.
static constexpr int64_t kSumBlock = 4096;

/// Σ term(i) for i < count.
template <class T, class Term>
static inline double sum_terms(int64_t count, Term term) {
  double total = 0;
  for (int64_t start = 0; start < count; start += kSumBlock) {
    const int64_t stop = std::min(count, start + kSumBlock);
    const int64_t whole = start + (stop - start) / kLanes * kLanes;
    T lane[kLanes] = {};
    for (int64_t i = start; i < whole; i += kLanes) {
#pragma GCC ivdep
      for (int64_t k = 0; k < kLanes; ++k) lane[k] += term(i + k);
    }
    for (int64_t k = 0; k < stop - whole; ++k) lane[k] += term(whole + k);
    for (int64_t width = kLanes / 2; width > 0; width /= 2) {
      for (int64_t k = 0; k < width; ++k) lane[k] += lane[k + width];
    }
    total += static_cast<double>(lane[0]);
  }
  return total;
}

template <class T>
static double sum(const T* x, int64_t count) {
  return sum_terms<T>(count, [=](int64_t i) { return x[i]; });
}

template <class T>
static double spread(const T* x, int64_t count, T mean) {
  return sum_terms<T>(count, [=](int64_t i) { return (x[i] - mean) * (x[i] - mean); });
}

/// Calls `body` with functions that give weight and bias at i, so that the loop inside has no branches.
template <class T, class Body>
static inline void with_weight(const T* weight, const Body& body) {
  if (weight) {
    body([=](int64_t i) { return weight[i]; });
  } else {
    body([](int64_t) { return T(1); });
  }
}

template <class T>
static void normalize(const T* x, int64_t count, T mean, T scale, const T* weight, const T* bias, T* out) {
  with_weight(weight, [=](auto w) {
    if (bias) {
#pragma GCC ivdep
      for (int64_t i = 0; i < count; ++i) out[i] = (x[i] - mean) * scale * w(i) + bias[i];
    } else {
#pragma GCC ivdep
      for (int64_t i = 0; i < count; ++i) out[i] = (x[i] - mean) * scale * w(i);
    }
  });
}

template <class T>
static void affine(const T* x, int64_t count, T mean, T scale, T shift, T* out) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) out[i] = (x[i] - mean) * scale + shift;
}

template <class T>
static void moments(const T* gradient, const T* x, int64_t count, T mean, const T* weight, double* plain,
                    double* scaled) {
  with_weight(weight, [=](auto w) {
    *plain = sum_terms<T>(count, [=](int64_t i) { return gradient[i] * w(i); });
    *scaled = sum_terms<T>(count, [=](int64_t i) { return gradient[i] * w(i) * (x[i] - mean); });
  });
}

template <class T>
static void combine(const T* gradient, const T* x, int64_t count, T mean, const T* weight, T a, T b, T c,
                    T* out) {
  with_weight(weight, [=](auto w) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) out[i] = gradient[i] * w(i) * a + (x[i] - mean) * b + c;
  });
}

template <class T>
static void parameters(const T* gradient, const T* x, int64_t count, T mean, T scale, T* weight_gradient,
                       T* bias_gradient) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    weight_gradient[i] += gradient[i] * ((x[i] - mean) * scale);
    bias_gradient[i] += gradient[i];
  }
}

template <class T>
static constexpr NormLoops<T> loops() {
  return {sum<T>, spread<T>, normalize<T>, affine<T>, moments<T>, combine<T>, parameters<T>};
}

extern constinit const NormTable norm_table = {loops<float>(), loops<double>()};

}  // namespace dyad::kernels::DYAD_ISA
