#include <algorithm>
#include <limits>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/cpu/best_table.h"
#include "kernels/cpu/channels_last.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/pool_divisor.h"
#include "kernels/cpu/pool_geometry.h"
#include "kernels/cpu/prepared.h"
#include "runtime/kernel.h"
#include "types/visit.h"

namespace dyad::kernels {

namespace {

const PoolTable& table() {
  static const PoolTable& best = best_table(baseline::pool_table, avx2::pool_table, avx512::pool_table);
  return best;
}

constexpr int64_t kParallelWork = 1 << 15;

int64_t plane_grain(const PoolWindow& w) {
  return 1 + kParallelWork / std::max<int64_t>(1, std::max(w.in_size(), w.out_size()));
}

/// The result in the dtype of the computation: the tensor itself, or memory that is converted into it at the
/// end.
class WideResult {
 public:
  explicit WideResult(ValueImpl& out) : out_(out) {
    if (is_narrow_float(out.dtype)) wide_.emplace(DType::kFloat32, out.shape);
  }
  char* data() { return wide_ ? wide_->as<char>() : out_.as<char>(); }
  void finish() {
    if (wide_) copy(*wide_, out_);
  }

 private:
  ValueImpl& out_;
  std::optional<Scratch> wide_;
};

void run_planes(const ValueImpl& in, char* out, const PoolWindow& w, PoolPlane pool) {
  const int64_t bytes = itemsize(in.dtype);
  const int64_t planes = in.size() / std::max<int64_t>(1, w.in_size());
  parallel_for(planes, plane_grain(w), [&](int64_t begin, int64_t end) {
    Workspace row(static_cast<size_t>(w.in[2] * bytes));
    for (int64_t plane = begin; plane < end; ++plane) {
      pool({&w, in.as<char>() + plane * w.in_size() * bytes, out + plane * w.out_size() * bytes,
            row.as<void>()});
    }
  });
}

void run_max(const KernelCall& call) {
  if (call.flag(6)) return channels_last::max_pool(call);
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const DType computed = compute_dtype(out.dtype);
  const Prepared in(call.in(0), computed);
  const PoolWindow w = pool_window(in->shape, out.shape, call, 1, true);
  WideResult wide(out);
  run_planes(*in, wide.data(), w, computed == DType::kFloat32 ? table().max_float : table().max_double);
  wide.finish();
}

void run_max_with_places(const KernelCall& call) {
  if (call.flag(6)) return channels_last::max_pool_with_places(call);
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const DType computed = compute_dtype(out.dtype);
  const Prepared in(call.in(0), computed);
  const PoolWindow w = pool_window(in->shape, out.shape, call, 1, true);
  if (w.in[2] > std::numeric_limits<int32_t>::max()) {
    unsupported(call.op(), ": a row has ", w.in[2], " elements; at most 2^31 - 1 are taken");
  }
  WideResult wide(out);
  const auto find = computed == DType::kFloat32 ? table().places_float : table().places_double;
  const int64_t bytes = itemsize(computed);
  parallel_for(out.size() / w.out_size(), plane_grain(w), [&](int64_t begin, int64_t end) {
    PoolPlacesTask task{};
    task.window = &w;
    const Scratch row(computed, Shape{w.in[2]});
    const Scratch row_turn(DType::kInt32, Shape{w.in[2]});
    const Scratch turn(DType::kInt32, Shape{w.out[2]});
    const Scratch column(DType::kInt32, Shape{w.out[2]});
    const Scratch row_start(DType::kInt64, Shape{task.rows()});
    task.row = row.data;
    task.row_turn = row_turn.as<int32_t>();
    task.turn = turn.as<int32_t>();
    task.column = column.as<int32_t>();
    task.row_start = row_start.as<int64_t>();
    for (int64_t plane = begin; plane < end; ++plane) {
      task.in = in->as<char>() + plane * w.in_size() * bytes;
      task.out = wide.data() + plane * w.out_size() * bytes;
      task.places = call.out(1).as<int64_t>() + plane * w.out_size();
      find(task);
    }
  });
  wide.finish();
}

/// The divisor of every position.
std::vector<double> divisors_of(const Divisor& divisor) {
  std::vector<double> result(static_cast<size_t>(divisor.w.out_size()));
  for (size_t i = 0; i < result.size(); ++i) result[i] = divisor.at(static_cast<int64_t>(i));
  return result;
}

template <class T>
void divide_planes(T* out, int64_t planes, const PoolWindow& w, const double* divisors) {
  parallel_for(planes, plane_grain(w), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      T* at = out + plane * w.out_size();
      for (int64_t i = 0; i < w.out_size(); ++i) at[i] /= static_cast<T>(divisors[i]);
    }
  });
}

void run_average(const KernelCall& call) {
  if (call.flag(7)) return channels_last::average_pool(call);
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const DType computed = compute_dtype(out.dtype);
  const Prepared in(call.in(0), computed);
  const PoolWindow w = pool_window(in->shape, out.shape, call, 1, false);
  WideResult wide(out);
  const bool single = computed == DType::kFloat32;
  run_planes(*in, wide.data(), w, single ? table().sum_float : table().sum_double);
  const std::vector<double> divisors = divisors_of({w, call.flag(5), call.integer(6)});
  const int64_t planes = out.size() / w.out_size();
  if (single) {
    divide_planes(reinterpret_cast<float*>(wide.data()), planes, w, divisors.data());
  } else {
    divide_planes(reinterpret_cast<double*>(wide.data()), planes, w, divisors.data());
  }
  wide.finish();
}

void run_average_gradient(const KernelCall& call) {
  if (call.flag(8)) return channels_last::average_pool_gradient(call);
  ValueImpl& out = call.out();
  const DType computed = compute_dtype(out.dtype);
  const Prepared gradient(call.in(0), computed);
  Scratch sum(computed, out.shape);
  const PoolWindow w = pool_window(out.shape, gradient->shape, call, 1, false);
  const std::vector<double> divisors = divisors_of({w, call.flag(5), call.integer(6)});
  const int64_t planes = out.size() / std::max<int64_t>(1, w.in_size());
  visit_dtype(computed, [&]<class T>(Typed<T>) {
    if constexpr (std::is_floating_point_v<T>) {
      parallel_for(planes, plane_grain(w), [&](int64_t begin, int64_t end) {
        for (int64_t plane = begin; plane < end; ++plane) {
          T* to = sum.as<T>() + plane * w.in_size();
          const T* from = gradient->as<const T>() + plane * w.out_size();
          std::fill(to, to + w.in_size(), T(0));
          for (int64_t position = 0; position < w.out_size(); ++position) {
            const T share = from[position] / static_cast<T>(divisors[static_cast<size_t>(position)]);
            for_each_place(w, position, [&](int64_t at) { to[at] += share; });
          }
        }
      });
    }
  });
  copy(sum, out);
}

DYAD_CPU_KERNEL(max_pool, run_max);
DYAD_CPU_KERNEL(max_pool_with_places, run_max_with_places);
DYAD_CPU_KERNEL(average_pool, run_average);
DYAD_CPU_KERNEL(average_pool_gradient, run_average_gradient);

}  // namespace

}  // namespace dyad::kernels
