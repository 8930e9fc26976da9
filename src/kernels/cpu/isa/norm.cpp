#include "kernels/cpu/norm_table.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "kernels/cpu/isa_lanes.h"

namespace dyad::kernels::DYAD_ISA {

/// Elements added up in T, roughly, before their sum moves to float64.
static constexpr int64_t kSumBlock = 4096;

template <class T, size_t... s, class... Terms>
static inline void add_terms(T (*lane)[kLanes], int64_t at, int64_t count, std::index_sequence<s...>,
                             const Terms&... terms) {
#pragma GCC ivdep
  for (int64_t k = 0; k < count; ++k) ((lane[s][k] += terms(at + k)), ...);
}

/// totals[s] = Σ terms_s(i) over all elements of the runs, in one pass.
template <class T, class... Terms>
static inline void sum_terms(const Runs& runs, double* totals, const Terms&... terms) {
  constexpr size_t kSums = sizeof...(Terms);
  constexpr auto kEach = std::make_index_sequence<kSums>();
  T lane[kSums][kLanes] = {};
  int64_t held = 0;
  const auto flush = [&] {
    for (size_t s = 0; s < kSums; ++s) {
      totals[s] += static_cast<double>(join_lanes(lane[s], [](auto& a, const auto& b) { a += b; }));
      for (T& zero : lane[s]) zero = 0;
    }
    held = 0;
  };
  for (size_t s = 0; s < kSums; ++s) totals[s] = 0;
  for (int64_t run = 0; run < runs.count; ++run) {
    const int64_t end = run * runs.step + runs.length;
    for (int64_t start = run * runs.step; start < end; start += kSumBlock) {
      const int64_t stop = std::min(end, start + kSumBlock);
      const int64_t whole = start + (stop - start) / kLanes * kLanes;
      for (int64_t i = start; i < whole; i += kLanes) add_terms(lane, i, kLanes, kEach, terms...);
      add_terms(lane, whole, stop - whole, kEach, terms...);
      held += stop - start;
      if (held >= kSumBlock) flush();
    }
  }
  flush();
}

template <class T>
static double sum(const T* x, const Runs& runs) {
  double total;
  sum_terms<T>(runs, &total, [=](int64_t i) { return x[i]; });
  return total;
}

template <class T>
static double spread(const T* x, const Runs& runs, T mean) {
  double total;
  sum_terms<T>(runs, &total, [=](int64_t i) { return (x[i] - mean) * (x[i] - mean); });
  return total;
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
static void affine(const T* x, const Runs& runs, T mean, T scale, T shift, T* out) {
  for (int64_t run = 0; run < runs.count; ++run) {
    const int64_t start = run * runs.step;
#pragma GCC ivdep
    for (int64_t i = start; i < start + runs.length; ++i) out[i] = (x[i] - mean) * scale + shift;
  }
}

template <class T>
static void moments(const T* gradient, const T* x, const Runs& runs, T mean, const T* weight, double* plain,
                    double* scaled) {
  with_weight(weight, [=](auto w) {
    double totals[2];
    sum_terms<T>(
        runs, totals, [=](int64_t i) { return gradient[i] * w(i); },
        [=](int64_t i) { return gradient[i] * w(i) * (x[i] - mean); });
    *plain = totals[0];
    *scaled = totals[1];
  });
}

template <class T>
static void combine(const T* gradient, const T* x, const Runs& runs, T mean, const T* weight, T a, T b, T c,
                    T* out) {
  with_weight(weight, [=](auto w) {
    for (int64_t run = 0; run < runs.count; ++run) {
      const int64_t start = run * runs.step;
#pragma GCC ivdep
      for (int64_t i = start; i < start + runs.length; ++i)
        out[i] = gradient[i] * w(i) * a + (x[i] - mean) * b + c;
    }
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
