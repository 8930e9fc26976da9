#include "kernels/cuda/params/create.h"

#include <algorithm>

#include "base/error.h"
#include "kernels/cuda/copy.h"
#include "runtime/cuda/launch.h"
#include "runtime/cuda/stream.h"
#include "runtime/kernel.h"
#include "types/scalar.h"

namespace dyad::kernels {

namespace {

size_t size_class(int64_t bytes) {
  return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : 4;
}

void run_full(const KernelCall& call) { fill_on_device(call.out(), call.number(1)); }

void write_sequence(ValueImpl& out, const char* kernel, cuda::SequenceParams params) {
  params.out = out.data;
  params.count = out.size();
  params.dtype = static_cast<uint32_t>(out.dtype);
  if (params.count == 0) return;
  cuda::launch(out.device.index, kernel, cuda::cover(params.count), params);
}

void run_arange(const KernelCall& call) {
  const Scalar start = call.has(1) ? call.number(0) : Scalar(0);
  const Scalar step = call.number(2);
  cuda::SequenceParams params{};
  if (start.integral() && step.integral()) {
    params.first_integer = start.to_int();
    params.step_integer = step.to_int();
    return write_sequence(call.out(), "sequence_integer", params);
  }
  params.first = start.to_double();
  params.step = step.to_double();
  write_sequence(call.out(), "sequence_real", params);
}

void run_linspace(const KernelCall& call) {
  const int64_t last = call.out().size() - 1;
  cuda::SequenceParams params{};
  params.first = call.real(0);
  params.end = call.real(1);
  params.ends = last > 0;
  params.step = last > 0 ? (params.end - params.first) / static_cast<double>(last) : 0;
  write_sequence(call.out(), "sequence_real", params);
}

void run_eye(const KernelCall& call) {
  static constexpr const char* kKernels[] = {"eye_1", "eye_2", "eye_4", "eye_8", "eye_16"};
  ValueImpl& out = call.out();
  cuda::EyeParams params{out.data, out.size(), out.shape[1].value(), {}};
  if (params.count == 0) return;
  store(Scalar(1), out.dtype, params.one);
  cuda::launch(out.device.index, kKernels[size_class(itemsize(out.dtype))], cuda::cover(params.count),
               params);
}

/// (rows, columns, offset, dtype, upper)
void run_triangle_indices(const KernelCall& call) {
  ValueImpl& out = call.out();
  const int64_t rows = call.integer(0);
  const int64_t columns = call.integer(1);
  const bool upper = call.flag(4);
  const int64_t offset = std::clamp(call.integer(2), -rows, columns);
  const cuda::TriangleParams params{out.data,
                                    out.shape[1].value(),
                                    static_cast<uint32_t>(out.dtype),
                                    upper,
                                    columns,
                                    offset,
                                    upper ? 0 : std::max<int64_t>(0, -offset),
                                    upper ? std::min(rows, columns - offset) : rows};
  if (params.count == 0) return;
  cuda::launch(out.device.index, "triangle_indices", cuda::cover(params.count), params);
}

void run_tensor_of_ints(const KernelCall& call) {
  SmallVector<int64_t, 16> numbers;
  for (Dim number : call.dims(0)) numbers.push_back(number.value());
  if (numbers.empty()) return;
  const int device = call.out().device.index;
  cuda::use_device(device);
  cuda::check(
      cuda::driver().copy_to_device(reinterpret_cast<cuda::DevicePointer>(call.out().data), numbers.data(),
                                    numbers.size() * sizeof(int64_t), cuda::current_stream(device)),
      "copying to the device");
}

void run_empty(const KernelCall&) {}

}  // namespace

void fill_on_device(ValueImpl& out, Scalar number) {
  static constexpr const char* kKernels[] = {"fill_1", "fill_2", "fill_4", "fill_8", "fill_16"};
  cuda::FillParams params{out.data, out.size(), {}};
  if (params.count == 0) return;
  store(number, out.dtype, params.number);
  cuda::launch(out.device.index, kKernels[size_class(itemsize(out.dtype))], cuda::cover(params.count, 4),
               params);
}

DYAD_CUDA_KERNEL(full, run_full);
DYAD_CUDA_KERNEL(tensor_of_ints, run_tensor_of_ints);
DYAD_CUDA_KERNEL(empty, run_empty);
DYAD_CUDA_KERNEL(arange, run_arange);
DYAD_CUDA_KERNEL(linspace, run_linspace);
DYAD_CUDA_KERNEL(eye, run_eye);
DYAD_CUDA_KERNEL(triangle_indices, run_triangle_indices);

}  // namespace dyad::kernels
