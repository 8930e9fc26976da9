#include <algorithm>
#include <cstring>
#include <vector>

#include "base/parallel.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/fill.h"
#include "kernels/cpu/index_plan.h"
#include "runtime/kernel.h"
#include "types/visit.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kOneHotGrain = 1 << 16;

/// A number, or a tensor's only element, as one element of `dtype`.
template <class T>
T element_of(const Arg& arg, DType dtype) {
  alignas(16) char bytes[16] = {};
  if (auto* value = arg.get<Value>()) {
    converter((*value)->dtype, dtype)(1, (*value)->data, bytes);
  } else {
    store(*arg.get<Scalar>(), dtype, bytes);
  }
  T element;
  std::memcpy(&element, bytes, sizeof(T));
  return element;
}

void run_one_hot(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const ValueImpl& indices = call.in(0);
  const auto axis = static_cast<size_t>(normalize_axis(call.op(), call.integer(4), out.rank()));
  const int64_t depth = out.shape[axis].value();
  const std::vector<int64_t> hot = read_indices(indices, indices.shape);
  int64_t inner = 1;
  for (size_t d = axis + 1; d < out.shape.size(); ++d) inner *= out.shape[d].value();
  visit_width(out.dtype, [&]<class T>(Typed<T>) {
    const T on = element_of<T>(call[2], out.dtype);
    const T off = element_of<T>(call[3], out.dtype);
    const int64_t outer = indices.size() / inner;
    parallel_for(outer, std::max<int64_t>(1, kOneHotGrain / (depth * inner)),
                 [&](int64_t begin, int64_t end) {
                   T* target = out.as<T>() + begin * depth * inner;
                   repeat_element(&off, sizeof(T), (end - begin) * depth * inner, target);
                   for (int64_t o = begin; o < end; ++o, target += depth * inner) {
                     for (int64_t i = 0; i < inner; ++i) {
                       const int64_t index = hot[static_cast<size_t>(o * inner + i)];
                       if (index >= 0 && index < depth) target[index * inner + i] = on;
                     }
                   }
                 });
  });
}

void run_length_range(const KernelCall& call) {
  const std::vector<int64_t> lengths = read_indices(call.in(0), call.in(0).shape);
  int64_t largest = 0;
  for (int64_t length : lengths) largest = std::max(largest, length);
  call.allocate(0, Shape{largest});
  for (int64_t i = 0; i < largest; ++i) call.out().as<int64_t>()[i] = i;
}

}  // namespace

DYAD_CPU_KERNEL(one_hot, run_one_hot);
DYAD_CPU_KERNEL(length_range, run_length_range);

}  // namespace dyad::kernels
