// Normalisation of rows: layer_norm and rms_norm, a warp or a block for each row.

#include "kernels/cuda/device/row_per_warp.h"
#include "kernels/cuda/params/lines.h"
#include "kernels/cuda/params/norm.h"

namespace dyad::cuda::device {

template <class T>
DYAD_DEVICE_INLINE T entry_of(const void* list, int64_t i, T otherwise) {
  return list ? static_cast<const T*>(list)[i] : otherwise;
}

template <class S, class Team, int kept>
DYAD_DEVICE_INLINE void normalize_row(const RowNormParams& p) {
  using T = Computed<S>;
  DYAD_SHARED(T, places, kMostWarps);
  for (int64_t row = Team::first_line(); row < p.rows; row += Team::line_step()) {
    TeamLine<S, Team, kept> line(static_cast<const S*>(p.in) + row * p.count, p.count);
    const T n = static_cast<T>(p.count);
    T mean = 0;
    if (p.means) {
      line.each([&](int64_t, T x) { mean += x; });
      mean = Team::reduce(mean, Sum(), places) / n;
    }
    T spread = 0;
    line.each([&](int64_t, T x) { spread += (x - mean) * (x - mean); });
    spread = Team::reduce(spread, Sum(), places);
    const T scale = T(1) / __builtin_sqrt(spread / n + static_cast<T>(p.epsilon));
    S* out = static_cast<S*>(p.out) + row * p.count;
    line.store(out, [&](int64_t i, T x) {
      return (x - mean) * scale * entry_of<T>(p.weight, i, 1) + entry_of<T>(p.bias, i, 0);
    });
    if (Team::member() == 0) {
      if (p.means) static_cast<T*>(p.means)[row] = mean;
      static_cast<T*>(p.scales)[row] = scale;
    }
  }
}

/// The gradient of the rows.
template <class S, class Team, int kept>
DYAD_DEVICE_INLINE void normalize_row_grad(const RowNormGradParams& p) {
  using T = Computed<S>;
  DYAD_SHARED(T, places, kMostWarps);
  for (int64_t row = Team::first_line(); row < p.rows; row += Team::line_step()) {
    TeamLine<S, Team, kept> gradient(static_cast<const S*>(p.gradient) + row * p.count, p.count);
    TeamLine<S, Team, kept> in(static_cast<const S*>(p.in) + row * p.count, p.count);
    const T mean = static_cast<const T*>(p.means)[row];
    const T scale = static_cast<const T*>(p.scales)[row];
    T plain = 0;
    T scaled = 0;
    gradient.each_with(in, [&](int64_t i, T of_result, T x) {
      const T g = of_result * entry_of<T>(p.weight, i, 1);
      plain += g;
      scaled += g * (x - mean);
    });
    plain = Team::reduce(plain, Sum(), places);
    scaled = Team::reduce(scaled, Sum(), places);
    const T n = static_cast<T>(p.count);
    const T b = -scale * scale * scale * scaled / n;
    const T c = -scale * plain / n;
    gradient.store_with(in, static_cast<S*>(p.out) + row * p.count, [&](int64_t i, T of_result, T x) {
      return of_result * entry_of<T>(p.weight, i, 1) * scale + (x - mean) * b + c;
    });
  }
}

/// The gradients of weight and bias over a chunk of rows; a thread has a column.
template <class S>
DYAD_DEVICE_INLINE void normalize_row_parameters(const RowNormGradParams& p) {
  using T = Computed<S>;
  const int64_t first = p.rows * block_y() / p.chunks;
  const int64_t last = p.rows * (block_y() + 1) / p.chunks;
  T* sums = static_cast<T*>(p.partial) + static_cast<int64_t>(block_y()) * 2 * p.count;
  DYAD_FOR_EACH(i, p.count) {
    T weight = 0;
    T bias = 0;
    for (int64_t row = first; row < last; ++row) {
      const T g = static_cast<T>(static_cast<const S*>(p.gradient)[row * p.count + i]);
      const T x = static_cast<T>(static_cast<const S*>(p.in)[row * p.count + i]);
      weight += g * (x - static_cast<const T*>(p.means)[row]) * static_cast<const T*>(p.scales)[row];
      bias += g;
    }
    sums[i] = weight;
    sums[p.count + i] = bias;
  }
}

template <class T>
DYAD_DEVICE_INLINE void sum_columns(const ColumnSumParams& p) {
  DYAD_FOR_EACH(i, p.count) {
    double first = 0;
    double second = 0;
    for (int64_t c = 0; c < p.chunks; ++c) {
      const T* sums = static_cast<const T*>(p.partial) + c * 2 * p.count;
      first += static_cast<double>(sums[i]);
      second += static_cast<double>(sums[p.count + i]);
    }
    static_cast<T*>(p.first)[i] = static_cast<T>(first);
    static_cast<T*>(p.second)[i] = static_cast<T>(second);
  }
}

DYAD_TEAM_KERNELS(row_norm, RowNormParams, normalize_row)
DYAD_TEAM_KERNELS(row_norm_grad, RowNormGradParams, normalize_row_grad)
DYAD_FLOAT_KERNELS(row_norm_parameters, RowNormGradParams, normalize_row_parameters)
DYAD_DEVICE_KERNEL(column_sums_float32, ColumnSumParams) { sum_columns<float>(p); }
DYAD_DEVICE_KERNEL(column_sums_float64, ColumnSumParams) { sum_columns<double>(p); }

}  // namespace dyad::cuda::device
