// softmax, log_softmax and their gradients. A line of contiguous elements is summed in as many lanes for
// every instruction set, so that results do not depend on the machine; lines that lie side by side are summed
// one column per lane.

#include "kernels/cpu/softmax_table.h"

#include <cmath>
#include <limits>

#include "kernels/cpu/isa_lanes.h"
#include "kernels/scalar/math.h"

namespace dyad::kernels::DYAD_ISA {

template <class T>
static inline T greater_of(T a, T b) {
  return (a > b) | (a != a) ? a : b;
}

/// NaN if there is one; the lowest number for no elements.
template <class T>
static inline T max_lanes(const T* in, int64_t count) {
  T lane[kLanes];
  for (T& start : lane) start = -std::numeric_limits<T>::infinity();
  const int64_t whole = count / kLanes * kLanes;
  for (int64_t i = 0; i < whole; i += kLanes) {
#pragma GCC ivdep
    for (int64_t k = 0; k < kLanes; ++k) lane[k] = greater_of(lane[k], in[i + k]);
  }
  for (int64_t k = 0; k < count - whole; ++k) lane[k] = greater_of(lane[k], in[whole + k]);
  return join_lanes(lane, [](auto& a, const auto& b) { a = ((a > b) | (a != a)) ? a : b; });
}

/// What is subtracted before exponentials are taken: the maximum, or 0 where that is infinite and would make
/// a NaN.
template <class T>
static inline T finite_shift(T largest) {
  return std::abs(largest) == std::numeric_limits<T>::infinity() ? T(0) : largest;
}

template <class T>
static void softmax_line(const T* in, int64_t count, T* out) {
  const T largest = max_lanes(in, count);
  const T total = sum_lanes<T>(count, [=](int64_t i) { return out[i] = math::exp(in[i] - largest); });
  const T scale = T(1) / total;
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) out[i] *= scale;
}

template <class T>
static void log_softmax_line(const T* in, int64_t count, T* out) {
  const T largest = max_lanes(in, count);
  const T total = sum_lanes<T>(count, [=](int64_t i) { return math::exp(in[i] - largest); });
  const T shift = std::log(total);
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) out[i] = in[i] - largest - shift;
}

template <class T>
static void log_sum_line(const T* in, int64_t count, T* out) {
  const T shift = finite_shift(max_lanes(in, count));
  *out = std::log(sum_lanes<T>(count, [=](int64_t i) { return math::exp(in[i] - shift); })) + shift;
}

template <class T>
static void softmax_grad_line(const T* gradient, const T* result, int64_t count, T* out) {
  const T total = sum_lanes<T>(count, [=](int64_t i) { return gradient[i] * result[i]; });
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) out[i] = result[i] * (gradient[i] - total);
}

template <class T>
static void log_softmax_grad_line(const T* gradient, const T* result, int64_t count, T* out) {
  const T total = sum_lanes<T>(count, [=](int64_t i) { return gradient[i]; });
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) out[i] = gradient[i] - math::exp(result[i]) * total;
}

template <class T>
static inline void max_columns(const T* in, int64_t count, int64_t stride, int64_t columns, T* largest) {
  for (int64_t j = 0; j < columns; ++j) largest[j] = -std::numeric_limits<T>::infinity();
  for (int64_t i = 0; i < count; ++i) {
    const T* row = in + i * stride;
#pragma GCC ivdep
    for (int64_t j = 0; j < columns; ++j) largest[j] = greater_of(largest[j], row[j]);
  }
}

template <class T>
static void softmax(const T* in, int64_t count, int64_t stride, int64_t columns, T* out) {
  if (stride == 1) return softmax_line(in, count, out);
  T largest[kSoftmaxColumns];
  T total[kSoftmaxColumns] = {};
  max_columns(in, count, stride, columns, largest);
  for (int64_t i = 0; i < count; ++i) {
    const T* row = in + i * stride;
    T* target = out + i * stride;
#pragma GCC ivdep
    for (int64_t j = 0; j < columns; ++j) {
      target[j] = math::exp(row[j] - largest[j]);
      total[j] += target[j];
    }
  }
  for (int64_t j = 0; j < columns; ++j) total[j] = T(1) / total[j];
  for (int64_t i = 0; i < count; ++i) {
    T* target = out + i * stride;
#pragma GCC ivdep
    for (int64_t j = 0; j < columns; ++j) target[j] *= total[j];
  }
}

template <class T>
static void log_sum(const T* in, int64_t count, int64_t stride, int64_t columns, T* out) {
  if (stride == 1) return log_sum_line(in, count, out);
  T shift[kSoftmaxColumns];
  T total[kSoftmaxColumns] = {};
  max_columns(in, count, stride, columns, shift);
  for (int64_t j = 0; j < columns; ++j) shift[j] = finite_shift(shift[j]);
  for (int64_t i = 0; i < count; ++i) {
    const T* row = in + i * stride;
#pragma GCC ivdep
    for (int64_t j = 0; j < columns; ++j) total[j] += math::exp(row[j] - shift[j]);
  }
  for (int64_t j = 0; j < columns; ++j) out[j] = std::log(total[j]) + shift[j];
}

template <class T>
static void log_softmax(const T* in, int64_t count, int64_t stride, int64_t columns, T* out) {
  if (stride == 1) return log_softmax_line(in, count, out);
  T shift[kSoftmaxColumns];
  log_sum(in, count, stride, columns, shift);
  for (int64_t i = 0; i < count; ++i) {
    const T* row = in + i * stride;
    T* target = out + i * stride;
#pragma GCC ivdep
    for (int64_t j = 0; j < columns; ++j) target[j] = row[j] - shift[j];
  }
}

template <class T>
static void softmax_grad(const T* gradient, const T* result, int64_t count, int64_t stride, int64_t columns,
                         T* out) {
  if (stride == 1) return softmax_grad_line(gradient, result, count, out);
  T total[kSoftmaxColumns] = {};
  for (int64_t i = 0; i < count; ++i) {
#pragma GCC ivdep
    for (int64_t j = 0; j < columns; ++j) total[j] += gradient[i * stride + j] * result[i * stride + j];
  }
  for (int64_t i = 0; i < count; ++i) {
#pragma GCC ivdep
    for (int64_t j = 0; j < columns; ++j) {
      out[i * stride + j] = result[i * stride + j] * (gradient[i * stride + j] - total[j]);
    }
  }
}

template <class T>
static void log_softmax_grad(const T* gradient, const T* result, int64_t count, int64_t stride,
                             int64_t columns, T* out) {
  if (stride == 1) return log_softmax_grad_line(gradient, result, count, out);
  T total[kSoftmaxColumns] = {};
  for (int64_t i = 0; i < count; ++i) {
#pragma GCC ivdep
    for (int64_t j = 0; j < columns; ++j) total[j] += gradient[i * stride + j];
  }
  for (int64_t i = 0; i < count; ++i) {
#pragma GCC ivdep
    for (int64_t j = 0; j < columns; ++j) {
      out[i * stride + j] = gradient[i * stride + j] - math::exp(result[i * stride + j]) * total[j];
    }
  }
}

template <class T>
static constexpr SoftmaxLoops<T> loops() {
  return {softmax<T>, log_softmax<T>, log_sum<T>, softmax_grad<T>, log_softmax_grad<T>};
}

extern constinit const SoftmaxTable softmax_table = {loops<float>(), loops<double>()};

}  // namespace dyad::kernels::DYAD_ISA
