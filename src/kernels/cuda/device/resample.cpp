// Resizing along one axis, its gradient, and images sampled at points: a thread for each element of the
// result, or for each point.

#include "kernels/cuda/device/storage.h"

#include "kernels/cuda/params/resample.h"

namespace dyad::cuda::device {

template <class T>
DYAD_DEVICE_INLINE void resample(const ResampleParams& p) {
  const int count = kernels::resampled_positions(p.axis.mode);
  DYAD_FOR_EACH(number, p.outer * p.axis.out * p.inner) {
    const int64_t row = number / p.inner;
    const T* plane =
        static_cast<const T*>(p.from) + row / p.axis.out * p.axis.in * p.inner + number % p.inner;
    int64_t from[kernels::kMostResampled];
    double weight[kernels::kMostResampled];
    kernels::find_resampled(p.axis, row % p.axis.out, from, weight);
    T sum = static_cast<T>(weight[0]) * plane[from[0] * p.inner];
    for (int k = 1; k < count; ++k) sum += static_cast<T>(weight[k]) * plane[from[k] * p.inner];
    static_cast<T*>(p.to)[number] = sum;
  }
}

/// The output positions that may read input position `i`: all beyond an end read the last one there.
struct Readers {
  int64_t first;
  int64_t last;
  DYAD_DEVICE_INLINE Readers(const kernels::ResampledAxis& axis, int64_t i) : first(0), last(axis.out - 1) {
    const double slope = axis.slope();
    if (!(slope > 0)) return;
    constexpr double kReach = 4;  // more than any way of resampling looks to either side
    const double low = (static_cast<double>(i) - kReach) / slope - 1;
    const double high = (static_cast<double>(i) + kReach) / slope + 1;
    if (i > 0 && low > 0) first = low < static_cast<double>(last) ? static_cast<int64_t>(low) : last;
    if (i < axis.in - 1 && high < static_cast<double>(last)) last = static_cast<int64_t>(high);
  }
};

template <class T>
DYAD_DEVICE_INLINE void resample_back(const ResampleParams& p) {
  const int count = kernels::resampled_positions(p.axis.mode);
  DYAD_FOR_EACH(number, p.outer * p.axis.in * p.inner) {
    const int64_t row = number / p.inner;
    const int64_t i = row % p.axis.in;
    const T* plane =
        static_cast<const T*>(p.from) + row / p.axis.in * p.axis.out * p.inner + number % p.inner;
    const Readers readers(p.axis, i);
    T sum = 0;
    for (int64_t o = readers.first; o <= readers.last; ++o) {
      int64_t from[kernels::kMostResampled];
      double weight[kernels::kMostResampled];
      kernels::find_resampled(p.axis, o, from, weight);
      for (int k = 0; k < count; ++k) {
        if (from[k] == i) sum += static_cast<T>(weight[k]) * plane[o * p.inner];
      }
    }
    static_cast<T*>(p.to)[number] = sum;
  }
}

template <class T>
DYAD_DEVICE_INLINE void sample_points(const GridSampleParams& p) {
  const kernels::GridSampling& s = p.sampling;
  DYAD_FOR_EACH(index, s.images * s.points) {
    const int64_t image = index / s.points;
    kernels::GridTap taps[kernels::kMostGridTaps];
    const int count = kernels::find_grid_taps(s, static_cast<const T*>(p.grid) + index * s.spatial, taps);
    for (int64_t channel = 0; channel < s.channels; ++channel) {
      const int64_t plane = image * s.channels + channel;
      const T* at = static_cast<const T*>(p.images) + plane * s.in_size();
      double sum = 0;
      for (int t = 0; t < count; ++t) sum += taps[t].weight * static_cast<double>(at[taps[t].at]);
      static_cast<T*>(p.out)[plane * s.points + index % s.points] = static_cast<T>(sum);
    }
  }
}

DYAD_DEVICE_KERNEL(resample_float32, ResampleParams) { resample<float>(p); }
DYAD_DEVICE_KERNEL(resample_float64, ResampleParams) { resample<double>(p); }
DYAD_DEVICE_KERNEL(resample_back_float32, ResampleParams) { resample_back<float>(p); }
DYAD_DEVICE_KERNEL(resample_back_float64, ResampleParams) { resample_back<double>(p); }
DYAD_DEVICE_KERNEL(sample_points_float32, GridSampleParams) { sample_points<float>(p); }
DYAD_DEVICE_KERNEL(sample_points_float64, GridSampleParams) { sample_points<double>(p); }

}  // namespace dyad::cuda::device
