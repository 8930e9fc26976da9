#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/grid_sampling.h"
#include "kernels/cpu/prepared.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

template <class T>
void sample(const GridSampling& s, const T* images, const T* grid, T* out) {
  parallel_for(s.images * s.points, 1 + (1 << 13) / std::max<int64_t>(1, s.channels),
               [&](int64_t begin, int64_t end) {
                 GridTap taps[kMostGridTaps];
                 for (int64_t index = begin; index < end; ++index) {
                   const int64_t image = index / s.points;
                   const int count = find_grid_taps(s, grid + index * s.spatial, taps);
                   for (int64_t channel = 0; channel < s.channels; ++channel) {
                     const T* plane = images + (image * s.channels + channel) * s.in_size();
                     double sum = 0;
                     for (int t = 0; t < count; ++t)
                       sum += taps[t].weight * static_cast<double>(plane[taps[t].at]);
                     out[(image * s.channels + channel) * s.points + index % s.points] = static_cast<T>(sum);
                   }
                 }
               });
}

/// Images do not share anything, so they run side by side.
template <class T>
void sample_back(const GridSampling& s, const T* gradient, const T* images, const T* grid, T* by_image,
                 T* by_grid) {
  parallel_for(s.images, 1, [&](int64_t begin, int64_t end) {
    GridTap taps[kMostGridTaps];
    for (int64_t index = begin * s.points; index < end * s.points; ++index) {
      const int64_t image = index / s.points;
      const int count = find_grid_taps(s, grid + index * s.spatial, taps);
      double change[3] = {0, 0, 0};
      for (int64_t channel = 0; channel < s.channels; ++channel) {
        const int64_t plane = (image * s.channels + channel) * s.in_size();
        const double g =
            static_cast<double>(gradient[(image * s.channels + channel) * s.points + index % s.points]);
        for (int t = 0; t < count; ++t) {
          by_image[plane + taps[t].at] += static_cast<T>(g * taps[t].weight);
          for (int d = 0; d < 3; ++d) {
            change[d] += g * taps[t].change[d] * static_cast<double>(images[plane + taps[t].at]);
          }
        }
      }
      for (int d = 0; d < s.spatial; ++d) {
        by_grid[index * s.spatial + d] = static_cast<T>(change[2 - d]);
      }
    }
  });
}

void run_sample(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const DType computed = compute_dtype(out.dtype);
  const Prepared image(call.in(0), computed);
  const Prepared grid(call.in(1), computed);
  const GridSampling s = grid_sampling(image->shape, grid->shape, call, 2);
  Scratch wide(computed, out.shape);
  if (computed == DType::kFloat32) {
    sample(s, image->as<const float>(), grid->as<const float>(), wide.as<float>());
  } else {
    sample(s, image->as<const double>(), grid->as<const double>(), wide.as<double>());
  }
  copy(wide, out);
}

void run_sample_back(const KernelCall& call) {
  ValueImpl& by_image = call.out(0);
  ValueImpl& by_grid = call.out(1);
  const DType computed = compute_dtype(by_image.dtype);
  const Prepared gradient(call.in(0), computed);
  const Prepared image(call.in(1), computed);
  const Prepared grid(call.in(2), computed);
  const GridSampling s = grid_sampling(image->shape, grid->shape, call, 3);
  Scratch wide_image(computed, by_image.shape);
  Scratch wide_grid(computed, by_grid.shape);
  std::memset(wide_image.data, 0, static_cast<size_t>(wide_image.size() * itemsize(computed)));
  if (computed == DType::kFloat32) {
    sample_back(s, gradient->as<const float>(), image->as<const float>(), grid->as<const float>(),
                wide_image.as<float>(), wide_grid.as<float>());
  } else {
    sample_back(s, gradient->as<const double>(), image->as<const double>(), grid->as<const double>(),
                wide_image.as<double>(), wide_grid.as<double>());
  }
  copy(wide_image, by_image);
  copy(wide_grid, by_grid);
}

DYAD_CPU_KERNEL(sample_grid, run_sample);
DYAD_CPU_KERNEL(sample_grid_back, run_sample_back);

}  // namespace

}  // namespace dyad::kernels
