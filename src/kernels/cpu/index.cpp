#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "kernels/cpu/index_plan.h"
#include "runtime/kernel.h"
#include "types/visit.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kIndexGrain = 1 << 15;

template <class T>
void gather_rows(const IndexPlan& plan, const T* input, T* out, int64_t begin, int64_t end) {
  const auto chosen = static_cast<int64_t>(plan.rows.size());
  const int64_t columns = plan.columns;
  for (int64_t row = begin; row < end;) {
    const T* plane = input + plan.before[static_cast<size_t>(row / chosen)];
    const int64_t first = row % chosen;
    const int64_t last = std::min(chosen, first + end - row);
    const int64_t* offsets = plan.rows.data();
    T* target = out + row * columns;
    if (columns == 1) {
      for (int64_t s = first; s < last; ++s) *target++ = plane[offsets[s]];
    } else if (plan.after.empty()) {
      for (int64_t s = first; s < last; ++s, target += columns) {
        std::memcpy(target, plane + offsets[s], static_cast<size_t>(columns) * sizeof(T));
      }
    } else {
      for (int64_t s = first; s < last; ++s, target += columns) {
        const T* source = plane + offsets[s];
        for (int64_t j = 0; j < columns; ++j) target[j] = source[plan.after[static_cast<size_t>(j)]];
      }
    }
    row += last - first;
  }
}

void run_index_gather(const KernelCall& call) {
  const ValueImpl& input = call.in(0);
  ValueImpl& out = call.out();
  const IndexPlan plan = plan_index(call.op(), input.shape, input.strides, call.values(1));
  if (out.size() == 0) return;
  const int64_t rows = out.size() / plan.columns;
  const int64_t grain = std::max<int64_t>(1, kIndexGrain / plan.columns);
  visit_width(out.dtype, [&]<class T>(Typed<T>) {
    parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
      gather_rows(plan, input.as<T>(), out.as<T>(), begin, end);
    });
  });
}

}  // namespace

DYAD_CPU_KERNEL(index_gather, run_index_gather);

}  // namespace dyad::kernels
