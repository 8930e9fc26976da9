#include <algorithm>
#include <cstring>
#include <optional>

#include "base/parallel.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/index_plan.h"
#include "kernels/cpu/overlap.h"
#include "kernels/cpu/reduction.h"
#include "kernels/cpu/window.h"
#include "runtime/allocator.h"
#include "runtime/kernel.h"
#include "types/visit.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kScatterGrain = 1 << 15;

/// What is written, contiguous, in the target's dtype and in the shape of the places.
class Written {
 public:
  Written(const Arg& value, const ValueImpl& target, const Shape& shape) {
    alignas(16) char element[16] = {};
    if (auto* tensor = value.get<Value>()) {
      const ValueImpl& given = **tensor;
      if (given.dtype == target.dtype && given.shape == shape && given.contiguous() &&
          (given.size() == 0 || !overlap(given, target))) {
        data_ = given.data;
        return;
      }
      fill(given, target, shape);
    } else {
      store(*value.get<Scalar>(), target.dtype, element);
      Window number(target, {}, {});
      number.data = element;
      fill(number, target, shape);
    }
  }
  template <class T>
  const T* as() const {
    return static_cast<const T*>(data_);
  }

 private:
  void fill(const ValueImpl& from, const ValueImpl& target, const Shape& shape) {
    scratch_.emplace(static_cast<size_t>(numel(shape) * itemsize(target.dtype)));
    Window window(target, shape, contiguous_strides(shape));
    window.data = scratch_->as<void>();
    copy(from, window);
    data_ = window.data;
  }
  const void* data_ = nullptr;
  std::optional<Workspace> scratch_;
};

/// Rows that share a target are written in order by one thread: work is split by plane or by column, never by
/// row, so that the result does not depend on the number of threads.
template <class T, class Meet>
void write_rows(const IndexPlan& plan, const T* values, T* target, const Meet& meet) {
  const auto planes = static_cast<int64_t>(plan.before.size());
  const auto chosen = static_cast<int64_t>(plan.rows.size());
  const int64_t columns = plan.columns;
  auto write = [&](int64_t plane, int64_t first, int64_t last) {
    T* base = target + plan.before[static_cast<size_t>(plane)];
    const T* source = values + plane * chosen * columns;
    for (int64_t s = 0; s < chosen; ++s, source += columns) {
      T* place = base + plan.rows[static_cast<size_t>(s)];
      if (plan.after.empty()) {
        for (int64_t j = first; j < last; ++j) place[j] = meet(place[j], source[j]);
      } else {
        for (int64_t j = first; j < last; ++j) {
          T& element = place[plan.after[static_cast<size_t>(j)]];
          element = meet(element, source[j]);
        }
      }
    }
  };
  if (planes > 1) {
    const int64_t grain = std::max<int64_t>(1, kScatterGrain / std::max<int64_t>(1, chosen * columns));
    parallel_for(planes, grain, [&](int64_t begin, int64_t end) {
      for (int64_t plane = begin; plane < end; ++plane) write(plane, 0, columns);
    });
  } else {
    constexpr int64_t kCacheLine = 64 / sizeof(T);
    const int64_t grain = std::max<int64_t>(kCacheLine, kScatterGrain / std::max<int64_t>(1, chosen));
    parallel_for(columns, grain, [&](int64_t begin, int64_t end) { write(0, begin, end); });
  }
}

void write_values(const KernelCall& call, const ValueList& indices, const Arg& value, Reduction reduction,
                  ValueImpl& out) {
  const IndexPlan plan = plan_index(call.op(), out.shape, out.strides, indices);
  if (numel(plan.result) == 0) return;
  const Written written(value, out, plan.result);
  if (reduction == Reduction::kNone) {
    visit_width(out.dtype, [&]<class T>(Typed<T>) {
      write_rows(plan, written.as<T>(), out.as<T>(), [](T, T b) { return b; });
    });
    return;
  }
  visit_dtype(out.dtype, [&]<class T>(Typed<T>) {
    with_reduction<T>(reduction, [&](auto meet) { write_rows(plan, written.as<T>(), out.as<T>(), meet); });
  });
}

void run_index_write(const KernelCall& call) {
  write_values(call, call.values(1), call[2], reduction_of(call.text(3)), call.out());
}

void run_index_update(const KernelCall& call) {
  copy(call.in(0), call.out());
  run_index_write(call);
}

/// Sums of float16 and bfloat16 are kept in float32 until all values are in.
void run_embed_index(const KernelCall& call) {
  ValueImpl& out = call.out();
  const DType dtype = compute_dtype(out.dtype);
  Window sums(out, out.shape, out.strides);
  std::optional<Workspace> scratch;
  if (dtype != out.dtype) {
    scratch.emplace(static_cast<size_t>(out.size() * itemsize(dtype)));
    sums.dtype = dtype;
    sums.data = scratch->as<void>();
  }
  parallel_for(out.size() * itemsize(dtype), 1 << 18, [&](int64_t begin, int64_t end) {
    std::memset(sums.as<char>() + begin, 0, static_cast<size_t>(end - begin));
  });
  write_values(call, call.values(2), call[0], Reduction::kAdd, sums);
  if (scratch) copy(sums, out);
}

}  // namespace

DYAD_CPU_KERNEL(index_write, run_index_write);
DYAD_CPU_KERNEL(index_update, run_index_update);
DYAD_CPU_KERNEL(embed_index, run_embed_index);

}  // namespace dyad::kernels
