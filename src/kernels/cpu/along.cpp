// Elements put in place along one axis: the way back from results that were picked by an index.

#include <complex>
#include <cstring>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/cpu/axis_view.h"
#include "kernels/cpu/contiguous.h"
#include "kernels/cpu/convert.h"
#include "runtime/kernel.h"
#include "types/visit.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kGrain = 1 << 14;

template <class T>
void add_to(T& target, T value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    target = T(static_cast<float>(target) + static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, bool>) {
    target = target || value;
  } else {
    target = static_cast<T>(target + value);
  }
}

/// (values, indices, axis, size): values are added up where the index of their line says.
void run_place_along(const KernelCall& call) {
  ValueImpl& out = call.out();
  std::memset(out.data, 0, static_cast<size_t>(out.size() * itemsize(out.dtype)));
  if (call.in(0).size() == 0 || out.size() == 0) return;
  const int64_t rank = call.in(0).rank();
  const int64_t axis = normalize_axis(call.op(), call.integer(2), std::max<int64_t>(rank, 1));
  const AxisView from(call.in(0).shape, axis);
  const AxisView to(out.shape, axis);
  const Contiguous values(call.in(0));
  const Contiguous indices(call.in(1), DType::kInt64);
  visit_dtype(out.dtype, [&]<class T>(Typed<T>) {
    const int64_t lines = from.outer * from.inner;
    parallel_for(lines, std::max<int64_t>(kGrain / from.count, 1), [&](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; ++line) {
        const T* value = values.as<T>() + from.start(line);
        const int64_t* index = indices.as<int64_t>() + from.start(line);
        T* target = out.as<T>() + to.start(line);
        for (int64_t i = 0; i < from.count; ++i) {
          const int64_t place = index[i * from.inner];
          if (place < 0 || place >= to.count) {
            index_error(call.op(), ": index ", place, " is out of range; accepted are 0 to ", to.count - 1);
          }
          add_to(target[place * to.inner], value[i * from.inner]);
        }
      }
    });
  });
}

}  // namespace

DYAD_CPU_KERNEL(place_along, run_place_along);

}  // namespace dyad::kernels
