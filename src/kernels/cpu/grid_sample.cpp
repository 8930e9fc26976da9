#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/parallel.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/prepared.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

/// Sizes of a sampling: images of up to three spatial dimensions (depth, height, width; missing ones are 1).
struct Sampling {
  int64_t images;
  int64_t channels;
  int64_t in[3] = {1, 1, 1};
  int64_t points = 1;  ///< per image
  size_t spatial;
  bool nearest;
  bool border;  ///< places outside take the border's value instead of zero
  bool reflection;
  bool corners;  ///< -1 and 1 are the centres of the outermost elements, not their edges

  int64_t in_size() const { return in[0] * in[1] * in[2]; }
};

Sampling sampling_of(const Shape& image, const Shape& grid, const Arguments& args, size_t first) {
  Sampling s;
  s.spatial = image.size() - 2;
  s.images = image[0].value();
  s.channels = image[1].value();
  for (size_t d = 0; d < s.spatial; ++d) {
    s.in[3 - s.spatial + d] = image[d + 2].value();
    s.points *= grid[d + 1].value();
  }
  s.nearest = args.text(first) == "nearest";
  s.border = args.text(first + 1) == "border";
  s.reflection = args.text(first + 1) == "reflection";
  s.corners = args.flag(first + 2);
  return s;
}

/// A coordinate in elements and its derivative by the grid's number.
struct Coordinate {
  double at;
  double slope;
};

Coordinate reflected(Coordinate c, double low, double high) {
  const double span = high - low;
  if (span <= 0) return {0, 0};
  double distance = c.at - low;
  double slope = c.slope;
  if (distance < 0) {
    distance = -distance;
    slope = -slope;
  }
  const double turns = std::floor(distance / span);
  const double rest = distance - turns * span;
  if (std::fmod(turns, 2.0) != 0) return {high - rest, -slope};
  return {low + rest, slope};
}

Coordinate place(const Sampling& s, double number, int64_t size) {
  const double n = static_cast<double>(size);
  Coordinate c = s.corners ? Coordinate{(number + 1) / 2 * (n - 1), (n - 1) / 2}
                           : Coordinate{((number + 1) * n - 1) / 2, n / 2};
  if (s.reflection) c = s.corners ? reflected(c, 0, n - 1) : reflected(c, -0.5, n - 0.5);
  if (s.border || s.reflection) {
    if (!(c.at > 0)) c = {0, c.at == 0 ? c.slope : 0};
    if (c.at > n - 1) c = {n - 1, 0};
  }
  if (!std::isfinite(c.at)) c = {-2, 0};  // outside
  return {std::clamp(c.at, -2.0, n + 1), c.slope};
}

/// The elements that one point looks at: where, with which weight, and how the weight changes along each
/// dimension.
struct Tap {
  int64_t at;
  double weight;
  double change[3];
};

template <class T>
int find_taps(const Sampling& s, const T* point, Tap* taps) {
  Coordinate c[3] = {{0, 0}, {0, 0}, {0, 0}};
  // The grid names the width first.
  for (size_t d = 0; d < s.spatial; ++d) c[2 - d] = place(s, static_cast<double>(point[d]), s.in[2 - d]);
  int count = 0;
  if (s.nearest) {
    int64_t at = 0;
    for (int d = 0; d < 3; ++d) {
      const int64_t near = static_cast<int64_t>(std::nearbyint(c[d].at));
      if (near < 0 || near >= s.in[d]) return 0;
      at = at * s.in[d] + near;
    }
    taps[count++] = {at, 1, {0, 0, 0}};
    return count;
  }
  const int corners = 1 << s.spatial;
  for (int corner = 0; corner < corners; ++corner) {
    Tap tap{0, 1, {1, 1, 1}};
    bool inside = true;
    for (int d = 0; d < 3; ++d) {
      const double low = std::floor(c[d].at);
      const bool upper = d >= 3 - static_cast<int>(s.spatial) && (corner >> (2 - d) & 1);
      const int64_t at = static_cast<int64_t>(low) + upper;
      inside = inside && at >= 0 && at < s.in[d];
      tap.at = tap.at * s.in[d] + at;
      const double share = upper ? c[d].at - low : 1 - (c[d].at - low);
      tap.weight *= share;
      for (int other = 0; other < 3; ++other)
        tap.change[other] *= other == d ? (upper ? 1 : -1) * c[d].slope : share;
    }
    if (inside) taps[count++] = tap;
  }
  return count;
}

template <class T>
void sample(const Sampling& s, const T* images, const T* grid, T* out) {
  parallel_for(s.images * s.points, 1 + (1 << 13) / std::max<int64_t>(1, s.channels),
               [&](int64_t begin, int64_t end) {
                 Tap taps[8];
                 for (int64_t index = begin; index < end; ++index) {
                   const int64_t image = index / s.points;
                   const int count = find_taps(s, grid + index * static_cast<int64_t>(s.spatial), taps);
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
void sample_back(const Sampling& s, const T* gradient, const T* images, const T* grid, T* by_image,
                 T* by_grid) {
  parallel_for(s.images, 1, [&](int64_t begin, int64_t end) {
    Tap taps[8];
    for (int64_t index = begin * s.points; index < end * s.points; ++index) {
      const int64_t image = index / s.points;
      const int count = find_taps(s, grid + index * static_cast<int64_t>(s.spatial), taps);
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
      for (size_t d = 0; d < s.spatial; ++d) {
        by_grid[index * static_cast<int64_t>(s.spatial) + static_cast<int64_t>(d)] =
            static_cast<T>(change[2 - d]);
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
  const Sampling s = sampling_of(image->shape, grid->shape, call, 2);
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
  const Sampling s = sampling_of(image->shape, grid->shape, call, 3);
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
