// Sorting along one axis, and the first elements of the order.

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "kernels/cpu/axis_view.h"
#include "kernels/cuda/copy.h"
#include "kernels/cuda/params/sort.h"
#include "runtime/cuda/launch.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

constexpr unsigned kSortThreads = 512;

/// Launches the steps of a bitonic sort of every line.
void sort_keys(int device, cuda::SortParams params) {
  const int64_t tile = std::min<int64_t>(params.padded, cuda::kSortTile);
  const cuda::Grid steps = cuda::cover(params.elements / 2);
  cuda::Grid tiles = cuda::cover(params.elements / tile, 1, 1);
  tiles.threads = kSortThreads;
  params.first = 2;
  params.last = tile;
  cuda::launch(device, "sort_tiles", tiles, params);
  for (int64_t stage = 2 * tile; stage <= params.padded; stage *= 2) {
    params.first = stage;
    params.last = stage;
    for (params.distance = stage / 2; params.distance >= tile; params.distance /= 2)
      cuda::launch(device, "sort_step", steps, params);
    cuda::launch(device, "sort_tiles", tiles, params);
  }
}

/// The first `take` elements of each line in order, with their places.
void sort_lines(const KernelCall& call, int64_t axis, int64_t take, bool descending) {
  const ValueImpl& input = call.in(0);
  ValueImpl& values = call.out(0);
  ValueImpl& index = call.out(1);
  if (values.size() == 0) return;
  const AxisView lines(input.shape, axis);
  if (lines.count >= int64_t{1} << 31) {
    value_error(call.op(), ": a line of ", lines.count,
                " elements is too long; accepted are fewer than 2**31");
  }
  const int device = values.device.index;
  const int64_t count = lines.outer * lines.inner;
  const auto padded = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(lines.count)));
  const DeviceContiguous in(input);
  const cuda::DeviceWorkspace keys(device, static_cast<size_t>(count * padded) * sizeof(uint64_t));
  const cuda::DeviceWorkspace places(device, static_cast<size_t>(count * padded) * sizeof(uint32_t));
  const cuda::SortKeysParams made{in.as(), keys.as<uint64_t>(), places.as<uint32_t>(),
                                  count,   lines.count,         lines.inner,
                                  padded,  descending};
  cuda::launch(device, cat("sort_keys_", device_dtype_name(input.dtype)), cuda::cover(count * padded), made);
  if (padded > 1) {
    sort_keys(device, {made.keys, made.places, count * padded, padded, 0, 0, 0});
  }
  const cuda::SortedParams sorted{
      in.as(), made.places, values.data, index.data, static_cast<uint32_t>(index.dtype),
      count,   lines.count, lines.inner, padded,     take};
  cuda::launch(device, cat("store_sorted_", itemsize(input.dtype)), cuda::cover(count * take), sorted);
}

int64_t axis_of(const KernelCall& call, size_t at) {
  return normalize_axis(call.op(), call.integer(at), std::max<int64_t>(call.in(0).rank(), 1));
}

/// (input, axis, descending, index_dtype) -> (values, indices)
void run_sort(const KernelCall& call) {
  const int64_t axis = axis_of(call, 1);
  sort_lines(call, axis, AxisView(call.in(0).shape, axis).count, call.flag(2));
}

/// (input, k, axis, largest, sorted, index_dtype) -> (values, indices): in order, whether that is asked for
/// or not.
void run_select_extremes(const KernelCall& call) {
  sort_lines(call, axis_of(call, 2), call.integer(1), call.flag(3));
}

/// (sorted_sequence, values, right, dtype) -> positions
void run_search(const KernelCall& call) {
  const ValueImpl& sequence = call.in(0);
  const ValueImpl& values = call.in(1);
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const DeviceContiguous sorted(sequence, DType::kFloat64);
  const DeviceContiguous wanted(values, DType::kFloat64);
  const int64_t per_row = values.rank() == 0 ? 1 : values.shape.back().value();
  const cuda::SearchParams params{sorted.as<double>(),
                                  wanted.as<double>(),
                                  out.data,
                                  static_cast<uint32_t>(out.dtype),
                                  call.flag(2),
                                  values.size(),
                                  sequence.shape.back().value(),
                                  sequence.rank() == 1 ? 0 : per_row};
  cuda::launch(out.device.index, "search_sorted", cuda::cover(params.count), params);
}

}  // namespace

DYAD_CUDA_KERNEL(search_sorted_rows, run_search);
DYAD_CUDA_KERNEL(sort, run_sort);
DYAD_CUDA_KERNEL(select_extremes, run_select_extremes);

}  // namespace dyad::kernels
