// Losses of scores against classes or distributions, given the logarithm of each line's sum of exponentials.

#include "kernels/cpu/entropy_table.h"

#include "kernels/cpu/isa_lanes.h"
#include "kernels/cpu/softmax_table.h"
#include "kernels/scalar/math.h"

namespace dyad::kernels::DYAD_ISA {

template <class T>
static void shares(const T* in, int64_t count, int64_t stride, int64_t columns, const T* shift,
                   const T* scale, T* out) {
  if (stride == 1) {
    const T below = *shift;
    const T factor = *scale;
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) out[i] = factor * math::exp(in[i] - below);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const T* row = in + i * stride;
    T* target = out + i * stride;
#pragma GCC ivdep
    for (int64_t j = 0; j < columns; ++j) target[j] = scale[j] * math::exp(row[j] - shift[j]);
  }
}

template <class T>
static void spread(const T* in, const T* weight, int64_t count, int64_t stride, int64_t columns,
                   const T* shift, T* out) {
  if (stride == 1) {
    const T below = *shift;
    *out = weight ? sum_lanes<T>(count, [=](int64_t i) { return weight[i] * (below - in[i]); })
                  : sum_lanes<T>(count, [=](int64_t i) { return below - in[i]; });
    return;
  }
  for (int64_t j = 0; j < columns; ++j) out[j] = T(0);
  for (int64_t i = 0; i < count; ++i) {
    const T* row = in + i * stride;
    const T factor = weight ? weight[i] : T(1);
#pragma GCC ivdep
    for (int64_t j = 0; j < columns; ++j) out[j] += factor * (shift[j] - row[j]);
  }
}

template <class T>
static void expected(const T* in, const T* target, int64_t count, int64_t stride, int64_t columns,
                     const T* shift, T* out) {
  if (stride == 1) {
    const T below = *shift;
    *out = sum_lanes<T>(count, [=](int64_t i) { return target[i] * (below - in[i]); });
    return;
  }
  for (int64_t j = 0; j < columns; ++j) out[j] = T(0);
  for (int64_t i = 0; i < count; ++i) {
    const T* row = in + i * stride;
    const T* wanted = target + i * stride;
#pragma GCC ivdep
    for (int64_t j = 0; j < columns; ++j) out[j] += wanted[j] * (shift[j] - row[j]);
  }
}

template <class T>
static void expected_grad(const T* in, const T* target, int64_t count, int64_t stride, int64_t columns,
                          const T* shift, const T* scale, T* out) {
  if (stride == 1) {
    const T below = *shift;
    const T factor = *scale;
    const T total = sum_lanes<T>(count, [=](int64_t i) { return target[i]; });
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) out[i] = factor * (math::exp(in[i] - below) * total - target[i]);
    return;
  }
  T total[kSoftmaxColumns] = {};
  for (int64_t i = 0; i < count; ++i) {
#pragma GCC ivdep
    for (int64_t j = 0; j < columns; ++j) total[j] += target[i * stride + j];
  }
  for (int64_t i = 0; i < count; ++i) {
    const T* row = in + i * stride;
    const T* wanted = target + i * stride;
    T* result = out + i * stride;
#pragma GCC ivdep
    for (int64_t j = 0; j < columns; ++j) {
      result[j] = scale[j] * (math::exp(row[j] - shift[j]) * total[j] - wanted[j]);
    }
  }
}

template <class T>
static constexpr EntropyLoops<T> entropy_loops() {
  return {shares<T>, spread<T>, expected<T>, expected_grad<T>};
}

extern constinit const EntropyTable entropy_table = {entropy_loops<float>(), entropy_loops<double>()};

}  // namespace dyad::kernels::DYAD_ISA
