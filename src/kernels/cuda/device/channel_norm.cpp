// Batch normalisation: sums over parts of a channel, then a pass over its elements that adds the parts up.

#include "kernels/cuda/device/block_reduce.h"
#include "kernels/cuda/device/storage.h"
#include "kernels/cuda/params/norm.h"

namespace dyad::cuda::device {

/// Calls `visit(place)` for the elements of this thread in the block's part of its channel. Block x is the
/// channel, block y the part.
template <class Visit>
DYAD_DEVICE_INLINE void each_in_part(const ChannelNormParams& p, Visit visit) {
  const int64_t total = p.samples * p.places;
  const int64_t first = total * block_y() / p.chunks;
  const int64_t last = total * (block_y() + 1) / p.chunks;
  for (int64_t i = first + thread_x(); i < last; i += threads_x()) {
    visit((i / p.places * p.channels + block_x()) * p.places + i % p.places);
  }
}

DYAD_DEVICE_INLINE void store_part(const ChannelNormParams& p, double first, double second) {
  DYAD_SHARED(double, places, kMostWarps);
  first = reduce_block(first, Sum(), places);
  second = reduce_block(second, Sum(), places);
  if (thread_x() != 0) return;
  double* at = p.partial + (static_cast<int64_t>(block_x()) * p.chunks + block_y()) * 2;
  at[0] = first;
  at[1] = second;
}

struct Totals {
  double first = 0;
  double second = 0;
};
DYAD_DEVICE_INLINE Totals totals_of(const ChannelNormParams& p) {
  Totals totals;
  const double* parts = p.partial + static_cast<int64_t>(block_x()) * p.chunks * 2;
  for (int64_t c = 0; c < p.chunks; ++c) {
    totals.first += parts[2 * c];
    totals.second += parts[2 * c + 1];
  }
  return totals;
}

/// An element whose subtraction keeps squares from cancelling.
template <class S>
DYAD_DEVICE_INLINE Computed<S> shift_of(const ChannelNormParams& p) {
  return static_cast<Computed<S>>(static_cast<const S*>(p.in)[block_x() * p.places]);
}

template <class S>
DYAD_DEVICE_INLINE void moments(const ChannelNormParams& p) {
  using T = Computed<S>;
  const T shift = shift_of<S>(p);
  T sum = 0;
  T squares = 0;
  each_in_part(p, [&](int64_t at) {
    const T x = static_cast<T>(static_cast<const S*>(p.in)[at]) - shift;
    sum += x;
    squares += x * x;
  });
  store_part(p, static_cast<double>(sum), static_cast<double>(squares));
}

template <class S>
DYAD_DEVICE_INLINE void affine(const ChannelNormParams& p, double mean, double variance) {
  using T = Computed<S>;
  const int64_t c = block_x();
  const T weight = p.weight ? static_cast<const T*>(p.weight)[c] : T(1);
  const T bias = p.bias ? static_cast<const T*>(p.bias)[c] : T(0);
  const T scale = weight * static_cast<T>(1 / __builtin_sqrt(variance + p.epsilon));
  const T middle = static_cast<T>(mean);
  each_in_part(p, [&](int64_t at) {
    const T x = static_cast<T>(static_cast<const S*>(p.in)[at]);
    static_cast<S*>(p.out)[at] = S((x - middle) * scale + bias);
  });
}

template <class S>
DYAD_DEVICE_INLINE void train(const ChannelNormParams& p) {
  using T = Computed<S>;
  const Totals totals = totals_of(p);
  const double n = static_cast<double>(p.samples * p.places);
  const double off = totals.first / n;
  const double mean = static_cast<double>(static_cast<T>(off + static_cast<double>(shift_of<S>(p))));
  double variance = totals.second / n - off * off;
  if (variance < 0) variance = 0;
  affine<S>(p, mean, variance);
  if (block_y() == 0 && thread_x() == 0) {
    static_cast<T*>(p.means)[block_x()] = static_cast<T>(mean);
    static_cast<T*>(p.variances)[block_x()] = static_cast<T>(variance);
  }
}

template <class S>
DYAD_DEVICE_INLINE void apply(const ChannelNormParams& p) {
  using T = Computed<S>;
  affine<S>(p, static_cast<double>(static_cast<const T*>(p.mean)[block_x()]),
            static_cast<double>(static_cast<const T*>(p.variance)[block_x()]));
}

template <class S>
DYAD_DEVICE_INLINE void gradient_moments(const ChannelNormParams& p) {
  using T = Computed<S>;
  const T mean = static_cast<const T*>(p.mean)[block_x()];
  T plain = 0;
  T scaled = 0;
  each_in_part(p, [&](int64_t at) {
    const T g = static_cast<T>(static_cast<const S*>(p.gradient)[at]);
    plain += g;
    scaled += g * (static_cast<T>(static_cast<const S*>(p.in)[at]) - mean);
  });
  store_part(p, static_cast<double>(plain), static_cast<double>(scaled));
}

template <class S>
DYAD_DEVICE_INLINE void gradient_apply(const ChannelNormParams& p) {
  using T = Computed<S>;
  const int64_t c = block_x();
  const Totals totals = totals_of(p);
  const double n = static_cast<double>(p.samples * p.places);
  const double scale =
      1 / __builtin_sqrt(static_cast<double>(static_cast<const T*>(p.variance)[c]) + p.epsilon);
  const double weighted = (p.weight ? static_cast<double>(static_cast<const T*>(p.weight)[c]) : 1.0) * scale;
  const T mean = static_cast<const T*>(p.mean)[c];
  const T factor = static_cast<T>(weighted);
  const T slope = static_cast<T>(-weighted * scale * scale * totals.second / n);
  const T shift = static_cast<T>(-weighted * totals.first / n);
  each_in_part(p, [&](int64_t at) {
    const T g = static_cast<T>(static_cast<const S*>(p.gradient)[at]);
    const T x = static_cast<T>(static_cast<const S*>(p.in)[at]) - mean;
    static_cast<S*>(p.out)[at] = S(g * factor + x * slope + shift);
  });
  if (block_y() == 0 && thread_x() == 0) {
    static_cast<T*>(p.weight_out)[c] = static_cast<T>(totals.second * scale);
    static_cast<T*>(p.bias_out)[c] = static_cast<T>(totals.first);
  }
}

DYAD_FLOAT_KERNELS(channel_moments, ChannelNormParams, moments)
DYAD_FLOAT_KERNELS(channel_norm_train, ChannelNormParams, train)
DYAD_FLOAT_KERNELS(channel_norm_apply, ChannelNormParams, apply)
DYAD_FLOAT_KERNELS(channel_gradient_moments, ChannelNormParams, gradient_moments)
DYAD_FLOAT_KERNELS(channel_norm_grad, ChannelNormParams, gradient_apply)

}  // namespace dyad::cuda::device
