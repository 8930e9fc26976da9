#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/fill.h"
#include "kernels/cpu/strided.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kFillGrain = 1 << 17;

void run_full(const KernelCall& call) { fill(call.out(), call.number(1)); }

/// Writes `at(i)` for every element, computed in T and converted to the result's dtype block by block.
template <class T, class At>
void write_computed(DType computed, ValueImpl& out, const At& at) {
  const Convert convert = converter(computed, out.dtype);
  const int64_t bytes = itemsize(out.dtype);
  parallel_for(out.size(), kFillGrain, [&](int64_t begin, int64_t end) {
    T block[kBlock];
    for (; begin < end; begin += kBlock) {
      const int64_t count = std::min(kBlock, end - begin);
      for (int64_t i = 0; i < count; ++i) block[i] = at(begin + i);
      convert(count, block, out.as<char>() + begin * bytes);
    }
  });
}

void run_arange(const KernelCall& call) {
  const Scalar start = call.has(1) ? call.number(0) : Scalar(0);
  const Scalar step = call.number(2);
  if (start.integral() && step.integral()) {
    const auto first = static_cast<uint64_t>(start.to_int());
    const auto stride = static_cast<uint64_t>(step.to_int());
    write_computed<int64_t>(DType::kInt64, call.out(), [&](int64_t i) {
      return static_cast<int64_t>(first + static_cast<uint64_t>(i) * stride);
    });
  } else {
    const double first = start.to_double();
    const double stride = step.to_double();
    write_computed<double>(DType::kFloat64, call.out(),
                           [&](int64_t i) { return first + static_cast<double>(i) * stride; });
  }
}

void run_linspace(const KernelCall& call) {
  const double start = call.real(0);
  const double end = call.real(1);
  const int64_t last = call.out().size() - 1;
  const double step = last > 0 ? (end - start) / static_cast<double>(last) : 0;
  write_computed<double>(DType::kFloat64, call.out(), [&](int64_t i) {
    return i == last && last > 0 ? end : start + static_cast<double>(i) * step;
  });
}

void run_eye(const KernelCall& call) {
  ValueImpl& out = call.out();
  const int64_t bytes = itemsize(out.dtype);
  std::memset(out.data, 0, static_cast<size_t>(out.size() * bytes));
  const int64_t rows = out.shape[0].value();
  const int64_t columns = out.shape[1].value();
  alignas(16) char one[16] = {};
  store(Scalar(1), out.dtype, one);
  for (int64_t i = 0; i < std::min(rows, columns); ++i) {
    std::memcpy(out.as<char>() + i * (columns + 1) * bytes, one, static_cast<size_t>(bytes));
  }
}

void run_tensor_of_ints(const KernelCall& call) {
  const Dims& numbers = call.dims(0);
  for (size_t i = 0; i < numbers.size(); ++i) call.out().as<int64_t>()[i] = numbers[i].value();
}

void run_empty(const KernelCall&) {}

}  // namespace

DYAD_CPU_KERNEL(full, run_full);
DYAD_CPU_KERNEL(tensor_of_ints, run_tensor_of_ints);
DYAD_CPU_KERNEL(empty, run_empty);
DYAD_CPU_KERNEL(arange, run_arange);
DYAD_CPU_KERNEL(linspace, run_linspace);
DYAD_CPU_KERNEL(eye, run_eye);

}  // namespace dyad::kernels
