#include "kernels/cpu/gradient_table.h"

#include "kernels/cpu/isa_lanes.h"

namespace dyad::kernels::DYAD_ISA {

template <class T>
static T square_sum(int64_t count, const T* in) {
  return sum_lanes<T>(count, [=](int64_t i) { return in[i] * in[i]; });
}

template <class T>
static void scale(int64_t count, const T* in, T factor, T* out) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) out[i] = in[i] * factor;
}

/// 0 x is 0 for finite x and NaN for all others, which the sum keeps.
template <class T>
static bool all_finite(int64_t count, const T* in) {
  const T sum = sum_lanes<T>(count, [=](int64_t i) { return in[i] * T(0); });
  return sum == T(0);
}

template <class T>
static void combine(int64_t count, const T* x, T factor_x, const T* y, T factor_y, T* out) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) out[i] = x[i] * factor_x + y[i] * factor_y;
}

template <class T>
static constexpr GradientLoops<T> gradient_loops() {
  return {square_sum<T>, scale<T>, all_finite<T>, combine<T>};
}

extern constinit const GradientTable gradient_table = {gradient_loops<float>(), gradient_loops<double>()};

}  // namespace dyad::kernels::DYAD_ISA
