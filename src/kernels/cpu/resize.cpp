// Resampling along the spatial dimensions, one dimension after the other: every output position is a weighted
// sum of a few input positions. The gradient runs the same table backwards.

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "kernels/cpu/contiguous.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/resampled_axis.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kGrain = 1 << 14;

/// Which input positions an output position reads, and their weights.
struct Taps {
  int64_t per_output;
  std::vector<int64_t> from;
  std::vector<double> weight;
};

Taps make_taps(const KernelCall& call, const ValueImpl& small, const ValueImpl& large, size_t spatial) {
  const ResampledAxis axis = resampled_axis(call, small.shape, large.shape, spatial);
  Taps taps{resampled_positions(axis.mode), {}, {}};
  const auto count = static_cast<size_t>(taps.per_output);
  taps.from.resize(static_cast<size_t>(axis.out) * count);
  taps.weight.resize(taps.from.size());
  for (int64_t o = 0; o < axis.out; ++o) {
    const size_t first = static_cast<size_t>(o) * count;
    find_resampled(axis, o, taps.from.data() + first, taps.weight.data() + first);
  }
  return taps;
}

/// Resamples the middle dimension of (outer, in, inner) into (outer, out, inner).
template <class T>
void resample(const T* in, T* out, int64_t outer, int64_t in_size, int64_t out_size, int64_t inner,
              const Taps& taps) {
  parallel_for(outer * out_size, std::max<int64_t>(1, kGrain / inner), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T* plane = in + row / out_size * in_size * inner;
      const int64_t* from = taps.from.data() + row % out_size * taps.per_output;
      const double* weight = taps.weight.data() + row % out_size * taps.per_output;
      T* target = out + row * inner;
      for (int64_t k = 0; k < taps.per_output; ++k) {
        const T* source = plane + from[k] * inner;
        const T w = static_cast<T>(weight[k]);
        if (k == 0) {
          for (int64_t i = 0; i < inner; ++i) target[i] = w * source[i];
        } else {
          for (int64_t i = 0; i < inner; ++i) target[i] += w * source[i];
        }
      }
    }
  });
}

/// The transposed operation: adds each output position's share to the input positions it was made of.
template <class T>
void resample_back(const T* out, T* in, int64_t outer, int64_t in_size, int64_t out_size, int64_t inner,
                   const Taps& taps) {
  parallel_for(outer, std::max<int64_t>(1, kGrain / (out_size * inner)), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      T* target = in + plane * in_size * inner;
      std::fill(target, target + in_size * inner, T(0));
      for (int64_t o = 0; o < out_size; ++o) {
        const T* source = out + (plane * out_size + o) * inner;
        for (int64_t k = 0; k < taps.per_output; ++k) {
          T* place = target + taps.from[static_cast<size_t>(o * taps.per_output + k)] * inner;
          const T w = static_cast<T>(taps.weight[static_cast<size_t>(o * taps.per_output + k)]);
          for (int64_t i = 0; i < inner; ++i) place[i] += w * source[i];
        }
      }
    }
  });
}

/// Sizes of a tensor seen as (before, axis, after).
struct Split {
  int64_t outer = 1;
  int64_t inner = 1;
  Split(const Ints& sizes, size_t axis) {
    for (size_t i = 0; i < axis; ++i) outer *= sizes[i];
    for (size_t i = axis + 1; i < sizes.size(); ++i) inner *= sizes[i];
  }
};

template <class T>
void run_typed(const KernelCall& call, bool back) {
  const ValueImpl& from = call.in(0);
  ValueImpl& to = call.out();
  const ValueImpl& small = back ? to : from;  // the side that was resized from
  const ValueImpl& large = back ? from : to;
  const DType compute = compute_dtype(from.dtype);

  Ints sizes;
  for (Dim size : from.shape) sizes.push_back(size.value());
  const Contiguous laid_out(from, compute);
  const T* current = laid_out.template as<T>();
  std::vector<T> held;
  for (size_t spatial = 0; spatial + 2 < sizes.size(); ++spatial) {
    const size_t axis = spatial + 2;
    const int64_t before = sizes[axis];
    const int64_t after = to.shape[axis].value();
    const Taps taps = make_taps(call, small, large, spatial);
    const Split split(sizes, axis);
    std::vector<T> next(static_cast<size_t>(split.outer * after * split.inner));
    if (back) {
      resample_back(current, next.data(), split.outer, after, before, split.inner, taps);
    } else {
      resample(current, next.data(), split.outer, before, after, split.inner, taps);
    }
    sizes[axis] = after;
    held = std::move(next);
    current = held.data();
  }
  converter(compute, to.dtype)(to.size(), current, to.data);
}

void run_resize(const KernelCall& call) {
  if (call.out().size() == 0) return;
  if (call.out().dtype == DType::kFloat64) return run_typed<double>(call, false);
  run_typed<float>(call, false);
}

void run_resize_back(const KernelCall& call) {
  if (call.out().size() == 0) return;
  if (call.out().dtype == DType::kFloat64) return run_typed<double>(call, true);
  run_typed<float>(call, true);
}

DYAD_CPU_KERNEL(resize, run_resize);
DYAD_CPU_KERNEL(resize_back, run_resize_back);

}  // namespace
}  // namespace dyad::kernels
