// softmax, log_softmax, their gradients and the logarithm of a line's sum of exponentials. Lines that lie in
// one piece have a warp or a block each, which keeps them in registers if it can; of lines side by side a
// thread has one.

#include <limits>

#include "kernels/cuda/device/row_per_warp.h"
#include "kernels/cuda/params/lines.h"

namespace dyad::cuda::device {

enum class Form { kSoftmax, kLogSoftmax, kLogSum };

template <class T>
DYAD_DEVICE_INLINE T lowest() {
  return -std::numeric_limits<T>::infinity();
}

/// What is subtracted before exponentials are taken; 0 where the maximum is infinite and would make a NaN.
template <class T>
DYAD_DEVICE_INLINE T finite_shift(T largest) {
  return largest == -lowest<T>() || largest == lowest<T>() ? T(0) : largest;
}

template <Form form, class T>
DYAD_DEVICE_INLINE T finished(T x, T shift, T total) {
  if constexpr (form == Form::kSoftmax) {
    return math::exp(x - shift) * (T(1) / total);
  } else {
    return x - shift - math::log(total);
  }
}

template <Form form, class S, class Team, int kept>
DYAD_DEVICE_INLINE void softmax_line(const LineParams& p) {
  using T = Computed<S>;
  DYAD_SHARED(T, places, kMostWarps);
  for (int64_t row = Team::first_line(); row < p.outer; row += Team::line_step()) {
    TeamLine<S, Team, kept> line(static_cast<const S*>(p.in) + row * p.count, p.count);
    T largest = lowest<T>();
    line.each([&](int64_t, T x) { largest = greater_of(largest, x); });
    largest = Team::reduce(largest, Maximum(), places);
    const T shift = form == Form::kLogSum ? finite_shift(largest) : largest;
    // The exponentials of a line that is kept are taken once.
    const bool taken = form == Form::kSoftmax && line.kept_in_registers();
    T total = 0;
    line.each([&](int64_t, T& x) {
      const T power = math::exp(x - shift);
      total += power;
      if (form == Form::kSoftmax) x = power;
    });
    total = Team::reduce(total, Sum(), places);
    S* out = static_cast<S*>(p.out) + (form == Form::kLogSum ? row : row * p.count);
    if constexpr (form == Form::kLogSum) {
      if (Team::member() == 0) *out = S(math::log(total) + shift);
    } else if constexpr (form == Form::kSoftmax) {
      const T scale = T(1) / total;
      line.store(out, [&](int64_t, T x) { return (taken ? x : math::exp(x - shift)) * scale; });
    } else {
      const T log_total = math::log(total);
      line.store(out, [&](int64_t, T x) { return x - shift - log_total; });
    }
  }
}

template <Form form, class S>
DYAD_DEVICE_INLINE void softmax_columns(const LineParams& p) {
  using T = Computed<S>;
  DYAD_FOR_EACH(column, p.outer * p.inner) {
    const int64_t at = column / p.inner * p.count * p.inner + column % p.inner;
    const S* in = static_cast<const S*>(p.in) + at;
    T largest = lowest<T>();
    for (int64_t i = 0; i < p.count; ++i) largest = greater_of(largest, static_cast<T>(in[i * p.inner]));
    const T shift = form == Form::kLogSum ? finite_shift(largest) : largest;
    T total = 0;
    for (int64_t i = 0; i < p.count; ++i) total += math::exp(static_cast<T>(in[i * p.inner]) - shift);
    S* out = static_cast<S*>(p.out);
    if constexpr (form == Form::kLogSum) {
      out[column] = S(math::log(total) + shift);
    } else {
      for (int64_t i = 0; i < p.count; ++i)
        out[at + i * p.inner] = S(finished<form>(static_cast<T>(in[i * p.inner]), shift, total));
    }
  }
}

/// `in` is the gradient, `other` the result.
template <Form form, class T>
DYAD_DEVICE_INLINE T summand(T gradient, T result) {
  return form == Form::kSoftmax ? gradient * result : gradient;
}
template <Form form, class T>
DYAD_DEVICE_INLINE T gradient_of(T gradient, T result, T total) {
  return form == Form::kSoftmax ? result * (gradient - total) : gradient - math::exp(result) * total;
}

template <Form form, class S, class Team, int kept>
DYAD_DEVICE_INLINE void softmax_grad_line(const LineParams& p) {
  using T = Computed<S>;
  DYAD_SHARED(T, places, kMostWarps);
  for (int64_t row = Team::first_line(); row < p.outer; row += Team::line_step()) {
    TeamLine<S, Team, kept> gradient(static_cast<const S*>(p.in) + row * p.count, p.count);
    TeamLine<S, Team, kept> result(static_cast<const S*>(p.other) + row * p.count, p.count);
    T total = 0;
    gradient.each_with(result, [&](int64_t, T g, T y) { total += summand<form>(g, y); });
    total = Team::reduce(total, Sum(), places);
    gradient.store_with(result, static_cast<S*>(p.out) + row * p.count,
                        [&](int64_t, T g, T y) { return gradient_of<form>(g, y, total); });
  }
}

template <Form form, class S>
DYAD_DEVICE_INLINE void softmax_grad_columns(const LineParams& p) {
  using T = Computed<S>;
  DYAD_FOR_EACH(column, p.outer * p.inner) {
    const int64_t at = column / p.inner * p.count * p.inner + column % p.inner;
    const S* gradient = static_cast<const S*>(p.in) + at;
    const S* result = static_cast<const S*>(p.other) + at;
    S* out = static_cast<S*>(p.out) + at;
    T total = 0;
    for (int64_t i = 0; i < p.count; ++i)
      total += summand<form>(static_cast<T>(gradient[i * p.inner]), static_cast<T>(result[i * p.inner]));
    for (int64_t i = 0; i < p.count; ++i) {
      out[i * p.inner] = S(gradient_of<form>(static_cast<T>(gradient[i * p.inner]),
                                             static_cast<T>(result[i * p.inner]), total));
    }
  }
}

template <class S, class Team, int kept>
DYAD_DEVICE_INLINE void soft_line(const LineParams& p) {
  softmax_line<Form::kSoftmax, S, Team, kept>(p);
}
template <class S, class Team, int kept>
DYAD_DEVICE_INLINE void log_line(const LineParams& p) {
  softmax_line<Form::kLogSoftmax, S, Team, kept>(p);
}
template <class S, class Team, int kept>
DYAD_DEVICE_INLINE void log_sum_line(const LineParams& p) {
  softmax_line<Form::kLogSum, S, Team, kept>(p);
}
template <class S>
DYAD_DEVICE_INLINE void soft_columns(const LineParams& p) {
  softmax_columns<Form::kSoftmax, S>(p);
}
template <class S>
DYAD_DEVICE_INLINE void log_columns(const LineParams& p) {
  softmax_columns<Form::kLogSoftmax, S>(p);
}
template <class S>
DYAD_DEVICE_INLINE void log_sum_columns(const LineParams& p) {
  softmax_columns<Form::kLogSum, S>(p);
}
template <class S, class Team, int kept>
DYAD_DEVICE_INLINE void soft_grad_line(const LineParams& p) {
  softmax_grad_line<Form::kSoftmax, S, Team, kept>(p);
}
template <class S, class Team, int kept>
DYAD_DEVICE_INLINE void log_grad_line(const LineParams& p) {
  softmax_grad_line<Form::kLogSoftmax, S, Team, kept>(p);
}
template <class S>
DYAD_DEVICE_INLINE void soft_grad_columns(const LineParams& p) {
  softmax_grad_columns<Form::kSoftmax, S>(p);
}
template <class S>
DYAD_DEVICE_INLINE void log_grad_columns(const LineParams& p) {
  softmax_grad_columns<Form::kLogSoftmax, S>(p);
}

DYAD_TEAM_KERNELS(softmax, LineParams, soft_line)
DYAD_FLOAT_KERNELS(softmax_columns, LineParams, soft_columns)
DYAD_TEAM_KERNELS(log_softmax, LineParams, log_line)
DYAD_FLOAT_KERNELS(log_softmax_columns, LineParams, log_columns)
DYAD_TEAM_KERNELS(log_sum_exp, LineParams, log_sum_line)
DYAD_FLOAT_KERNELS(log_sum_exp_columns, LineParams, log_sum_columns)
DYAD_TEAM_KERNELS(softmax_grad, LineParams, soft_grad_line)
DYAD_FLOAT_KERNELS(softmax_grad_columns, LineParams, soft_grad_columns)
DYAD_TEAM_KERNELS(log_softmax_grad, LineParams, log_grad_line)
DYAD_FLOAT_KERNELS(log_softmax_grad_columns, LineParams, log_grad_columns)

}  // namespace dyad::cuda::device
