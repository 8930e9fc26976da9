// Reductions over any set of axes. Neighbouring axes are merged until reduced and kept groups alternate; each
// reduced group is a stage, or several where one launch would leave most of the device idle. Only the last
// writes the result's dtype; the others write accumulators.

#include <algorithm>
#include <memory>
#include <string>

#include "base/error.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/reduce_table.h"
#include "kernels/cuda/copy.h"
#include "kernels/cuda/params/reduce.h"
#include "kernels/scalar/compute_dtype.h"
#include "runtime/cuda/launch.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kBusyBlocks = 1024;
constexpr int64_t kBusyThreads = kBusyBlocks * cuda::kReduceThreads;
constexpr int64_t kShortRow = 16;  ///< joined by one thread
constexpr const char* kKinds[] = {"sum", "prod", "max", "min", "any", "all"};

bool is_logical(ReduceKind kind) { return kind == ReduceKind::kAny || kind == ReduceKind::kAll; }
bool adds(ReduceKind kind) { return kind == ReduceKind::kSum || kind == ReduceKind::kProd; }

struct Names {
  std::string rows[kReduceKinds][kDTypeCount];
  std::string columns[kReduceKinds][kDTypeCount];

  Names() {
    for (size_t kind = 0; kind < kReduceKinds; ++kind) {
      for (size_t i = 0; i < kDTypeCount; ++i) {
        const std::string_view dtype = device_dtype_name(static_cast<DType>(i));
        rows[kind][i] = cat("reduce_rows_", kKinds[kind], "_", dtype);
        columns[kind][i] = cat("reduce_columns_", kKinds[kind], "_", dtype);
      }
    }
  }
};
const Names& names() {
  static const Names all;
  return all;
}

struct Group {
  int64_t size;
  bool reduced;
};

/// Elements between stages, with the memory they lie in.
struct Held {
  const void* data;
  DType dtype;
  std::unique_ptr<cuda::DeviceWorkspace> memory;
};

class Reduction {
 public:
  Reduction(ReduceKind kind, double scale, ValueImpl& out) : kind_(kind), scale_(scale), out_(out) {}

  /// One group of `reduced` elements; `last` if what it gives is the result.
  void run(Held& from, int64_t outer, int64_t reduced, int64_t inner, bool last) const {
    const bool rows = inner == 1 && reduced > kShortRow;
    const int64_t chunks = chunks_of(rows, outer * inner, reduced);
    const bool finishes = last && chunks == 1;
    const DType accumulator = accumulator_dtype(adds(kind_), compute_dtype(from.dtype));
    Held next{out_.data, out_.dtype, nullptr};
    if (!finishes) {
      const auto bytes = static_cast<size_t>(outer * chunks * inner * itemsize(accumulator));
      next.memory = std::make_unique<cuda::DeviceWorkspace>(device(), bytes);
      next.data = next.memory->as<void>();
      next.dtype = accumulator;
    }
    launch(from, next, rows, {outer, reduced, inner}, chunks, finishes);
    from = std::move(next);
    if (chunks > 1) run(from, outer, chunks, inner, last);
  }

 private:
  struct Sizes {
    int64_t outer;
    int64_t reduced;
    int64_t inner;
  };

  int device() const { return out_.device.index; }

  /// In how many parts the reduced axis is cut, so that there is work for the whole device.
  static int64_t chunks_of(bool rows, int64_t results, int64_t reduced) {
    const int64_t wanted = (rows ? kBusyBlocks : kBusyThreads) / results;
    const int64_t shortest = rows ? 16 * cuda::kReduceThreads : 32;
    return std::clamp<int64_t>(wanted, 1, (reduced + shortest - 1) / shortest);
  }

  void launch(const Held& from, const Held& to, bool rows, Sizes sizes, int64_t chunks, bool finishes) const {
    cuda::ReduceParams params{};
    params.out = const_cast<void*>(to.data);
    params.in = from.data;
    params.outer = sizes.outer;
    params.reduced = sizes.reduced;
    params.inner = sizes.inner;
    params.chunks = chunks;
    params.length = (sizes.reduced + chunks - 1) / chunks;
    params.dtype = static_cast<uint32_t>(to.dtype);
    params.scale = finishes ? scale_ : 1;
    const auto kind = static_cast<size_t>(kind_);
    const auto dtype = static_cast<size_t>(from.dtype);
    if (!rows) {
      const int64_t tasks = sizes.outer * chunks * sizes.inner;
      return cuda::launch(device(), names().columns[kind][dtype], cuda::cover(tasks), params);
    }
    params.threads_at_row = params.length <= 1024 ? 32 : cuda::kReduceThreads;
    const int64_t rows_of_block = cuda::kReduceThreads / params.threads_at_row;
    cuda::Grid grid = cuda::cover(sizes.outer * chunks, 1, static_cast<unsigned>(rows_of_block));
    grid.threads = cuda::kReduceThreads;
    cuda::launch(device(), names().rows[kind][dtype], grid, params);
  }

  ReduceKind kind_;
  double scale_;
  ValueImpl& out_;
};

void reduce_contiguous(ReduceKind kind, Held from, const Shape& shape, const Ints& axes, double scale,
                       ValueImpl& out) {
  SmallVector<Group, 8> groups;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t size = shape[i].value();
    if (size == 1) continue;
    const bool reduced = std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) != axes.end();
    if (!groups.empty() && groups.back().reduced == reduced) {
      groups.back().size *= size;
    } else {
      groups.push_back({size, reduced});
    }
  }
  // With nothing to join, a reduced group of one element carries the conversions.
  auto is_reduced = [](const Group& group) { return group.reduced; };
  if (std::none_of(groups.begin(), groups.end(), is_reduced)) groups.push_back({1, true});
  int64_t left = std::count_if(groups.begin(), groups.end(), is_reduced);
  const Reduction reduction(kind, scale, out);
  int64_t inner = 1;
  for (size_t at = groups.size(); at-- > 0;) {
    if (!groups[at].reduced) {
      inner *= groups[at].size;
      continue;
    }
    int64_t outer = 1;
    for (size_t i = 0; i < at; ++i) outer *= groups[i].size;
    reduction.run(from, outer, groups[at].size, inner, --left == 0);
  }
}

/// Reduces `in` over `axes` (normalized, ascending) into `out`, both on one device, with the meaning of
/// `reduce` for the CPU.
void reduce_on_device(ReduceKind kind, const ValueImpl& in, const Ints& axes, ValueImpl& out,
                      double scale = 1) {
  if (out.size() == 0) return;
  if (in.size() == 0) {
    return fill_on_device(out, scale != 1 ? Scalar(0.0 * scale) : reduction_neutral(kind, out.dtype));
  }
  // Kernels read the dtype in which elements meet, and narrow floats as they are.
  const DType meeting = compute_dtype_of(is_logical(kind), in.dtype, out.dtype);
  const bool direct = compute_dtype(in.dtype) == meeting;
  const DType read = direct ? in.dtype : meeting;
  const DeviceContiguous elements(in, read);
  reduce_contiguous(kind, {elements.as(), read, nullptr}, in.shape, axes, scale, out);
}

template <ReduceKind kind>
void run_reduce(const KernelCall& call) {
  reduce_on_device(kind, call.in(0), axes_of(call, 1, call.in(0).rank()), call.out());
}

void run_mean(const KernelCall& call) {
  const ValueImpl& in = call.in(0);
  const Ints axes = axes_of(call, 1, in.rank());
  int64_t count = 1;
  for (int64_t axis : axes) count *= in.shape[static_cast<size_t>(axis)].value();
  reduce_on_device(ReduceKind::kSum, in, axes, call.out(), 1.0 / static_cast<double>(count));
}

void run_count_over(const KernelCall& call) {
  double count = 1;
  for (int64_t axis : axes_of(call, 1, call.in(0).rank())) {
    count *= static_cast<double>(call.in(0).shape[static_cast<size_t>(axis)].value());
  }
  fill_on_device(call.out(), count);
}

/// Sums over the axes along which `like` was broadcast.
void run_sum_to(const KernelCall& call) {
  const ValueImpl& in = call.in(0);
  const Shape& like = call.in(1).shape;
  const size_t extra = in.shape.size() - like.size();
  Ints axes;
  for (size_t i = 0; i < in.shape.size(); ++i) {
    if (i < extra || !(like[i - extra] == in.shape[i])) axes.push_back(static_cast<int64_t>(i));
  }
  reduce_on_device(ReduceKind::kSum, in, axes, call.out());
}

}  // namespace

DYAD_CUDA_KERNEL(sum, run_reduce<ReduceKind::kSum>);
DYAD_CUDA_KERNEL(prod, run_reduce<ReduceKind::kProd>);
DYAD_CUDA_KERNEL(amax, run_reduce<ReduceKind::kMax>);
DYAD_CUDA_KERNEL(amin, run_reduce<ReduceKind::kMin>);
DYAD_CUDA_KERNEL(any, run_reduce<ReduceKind::kAny>);
DYAD_CUDA_KERNEL(all, run_reduce<ReduceKind::kAll>);
DYAD_CUDA_KERNEL(mean, run_mean);
DYAD_CUDA_KERNEL(sum_to, run_sum_to);
DYAD_CUDA_KERNEL(count_over, run_count_over);

}  // namespace dyad::kernels
