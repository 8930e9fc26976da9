#include "kernels/cuda/copy.h"

#include <array>

#include "base/error.h"
#include "kernels/cpu/overlap.h"
#include "kernels/cuda/params/copy.h"
#include "kernels/cuda/strided_parts.h"
#include "runtime/cuda/launch.h"
#include "runtime/cuda/stream.h"
#include "runtime/kernel.h"
#include "types/scalar.h"

namespace dyad::kernels {

namespace {

constexpr std::array<std::string_view, kDTypeCount> kNames = {
    "bool",   "int8",    "int16",    "int32",   "int64",   "uint8",     "uint16",    "uint32",
    "uint64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"};

/// Names of the kernels, put together once.
struct Names {
  std::string cast[kDTypeCount][kDTypeCount];
  std::string cast_strided[kDTypeCount];

  Names() {
    for (size_t from = 0; from < kDTypeCount; ++from) {
      cast_strided[from] = cat("cast_strided_", kNames[from]);
      for (size_t to = 0; to < kDTypeCount; ++to)
        cast[from][to] = cat("cast_", kNames[from], "_", kNames[to]);
    }
  }
};
const Names& names() {
  static const Names all;
  return all;
}

/// By the size of an element.
const char* sized_name(int64_t bytes, const char* const (&of)[5]) {
  return of[bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : 4];
}

bool is_side_by_side(const StridedLoop& loop) {
  return loop.shape.size() == 1 && (loop.total == 1 || (loop.strides[0][0] == 1 && loop.strides[1][0] == 1));
}

/// One plane of it or more, where the source lies along the rows of the result.
bool is_transpose(const StridedLoop& loop) {
  const size_t rank = loop.shape.size();
  constexpr int64_t kMostPlanes = 65535;
  return (rank == 2 || (rank == 3 && loop.shape[0] <= kMostPlanes)) && loop.strides[0][rank - 1] == 1 &&
         loop.strides[1][rank - 2] == 1 && loop.strides[1][rank - 1] != 1 && loop.shape[rank - 1] >= 16 &&
         loop.shape[rank - 2] >= 16 && loop.shape[rank - 2] <= kMostPlanes * cuda::kTransposeTile;
}

void transpose(int device, const StridedLoop& loop, int64_t bytes, const char* from, char* to) {
  static constexpr const char* kKernels[] = {"transpose_1", "transpose_2", "transpose_4", "transpose_8",
                                             "transpose_16"};
  const size_t rank = loop.shape.size();
  const bool planes = rank == 3;
  const cuda::TransposeParams params{to,
                                     from,
                                     loop.shape[rank - 2],
                                     loop.shape[rank - 1],
                                     loop.strides[0][rank - 2],
                                     loop.strides[1][rank - 1],
                                     planes ? loop.strides[0][0] : 0,
                                     planes ? loop.strides[1][0] : 0};
  constexpr int64_t kTile = cuda::kTransposeTile;
  cuda::Grid grid;
  grid.x = static_cast<unsigned>((params.columns + kTile - 1) / kTile);
  grid.y = static_cast<unsigned>((params.rows + kTile - 1) / kTile);
  grid.z = planes ? static_cast<unsigned>(loop.shape[0]) : 1;
  grid.threads = kTile * cuda::kTransposeRows;
  cuda::launch(device, sized_name(bytes, kKernels), grid, params);
}

void copy_same_dtype(int device, const StridedLoop& loop, int64_t bytes, const char* from, char* to) {
  if (is_side_by_side(loop)) {
    cuda::use_device(device);
    cuda::check(cuda::driver().copy_on_device(
                    reinterpret_cast<cuda::DevicePointer>(to), reinterpret_cast<cuda::DevicePointer>(from),
                    static_cast<size_t>(loop.total * bytes), cuda::current_stream(device)),
                "copying on the device");
    return;
  }
  if (is_transpose(loop)) return transpose(device, loop, bytes, from, to);
  static constexpr const char* kKernels[] = {"copy_strided_1", "copy_strided_2", "copy_strided_4",
                                             "copy_strided_8", "copy_strided_16"};
  const char* kernel = sized_name(bytes, kKernels);
  for_each_part<2>(loop, [&](const cuda::StridedIndex<2>& index, uint32_t count, const int64_t* offset) {
    const cuda::CopyParams params{to + offset[0] * bytes, from + offset[1] * bytes, count, index};
    cuda::launch(device, kernel, cuda::cover(count), params);
  });
}

void copy_converting(int device, const StridedLoop& loop, const ValueImpl& from, ValueImpl& to) {
  const auto from_dtype = static_cast<size_t>(from.dtype);
  const auto to_dtype = static_cast<size_t>(to.dtype);
  const int64_t from_bytes = itemsize(from.dtype);
  const int64_t to_bytes = itemsize(to.dtype);
  auto aligned = [](const void* data, int64_t bytes) {
    return reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(std::min<int64_t>(16, 4 * bytes)) == 0;
  };
  const bool plain = is_side_by_side(loop) && aligned(from.data, from_bytes) && aligned(to.data, to_bytes);
  for_each_part<2>(loop, [&](const cuda::StridedIndex<2>& index, uint32_t count, const int64_t* offset) {
    char* target = to.as<char>() + offset[0] * to_bytes;
    const char* source = from.as<char>() + offset[1] * from_bytes;
    if (plain && offset[0] % 4 == 0) {
      const cuda::CopyParams params{target, source, count, index};
      cuda::launch(device, names().cast[from_dtype][to_dtype], cuda::cover(count, 4), params);
    } else {
      const cuda::CastParams params{target, source, count, static_cast<uint32_t>(to_dtype), index};
      cuda::launch(device, names().cast_strided[from_dtype], cuda::cover(count), params);
    }
  });
}

bool same_place(const ValueImpl& a, const ValueImpl& b) {
  return a.data == b.data && a.dtype == b.dtype && a.shape == b.shape && a.strides == b.strides;
}

/// Copies as if `from` were read in full before anything is written.
void copy_apart(const ValueImpl& from, ValueImpl& to) {
  if (to.size() == 0 || same_place(from, to)) return;
  if (!overlap(from, to)) return copy_on_device(from, to);
  const cuda::DeviceWorkspace scratch(to.device.index,
                                      static_cast<size_t>(from.size() * itemsize(from.dtype)));
  Window apart(from, from.shape, contiguous_strides(from.shape));
  apart.data = scratch.as<void>();
  copy_on_device(from, apart);
  copy_on_device(apart, to);
}

void run_copy(const KernelCall& call) { copy_on_device(call.in(0), call.out()); }

/// A reshape that is no view: the elements in row-major order, written to the contiguous result.
void run_reshape(const KernelCall& call) {
  const ValueImpl& input = call.in(0);
  Window target(call.out(), input.shape, contiguous_strides(input.shape));
  copy_on_device(input, target);
}

/// Pairs that do not lie as complex numbers do, copied so that they do.
void run_view_as_complex(const KernelCall& call) {
  const ValueImpl& input = call.in(0);
  Window target(call.out(), input.shape, contiguous_strides(input.shape));
  target.dtype = input.dtype;
  copy_on_device(input, target);
}

/// A strided view of elements that do not lie in row-major order: a copy of what it would show.
void run_strided_view(const KernelCall& call) {
  const DeviceContiguous input(call.in(0));
  Strides strides;
  for (Dim stride : call.dims(2)) strides.push_back(stride.value());
  Window view(call.out(), call.out().shape, strides);
  view.data = const_cast<char*>(input.as()) + call.integer(3) * itemsize(call.out().dtype);
  copy_on_device(view, call.out());
}

void run_assign(const KernelCall& call) {
  ValueImpl& out = call.out();
  if (call.is_value(1)) return copy_apart(call.in(1), out);
  if (out.size() == 0) return;
  alignas(16) char element[16];
  store(call.number(1), out.dtype, element);
  const int64_t bytes = itemsize(out.dtype);
  const cuda::DeviceWorkspace held(out.device.index, sizeof(element));
  cuda::use_device(out.device.index);
  cuda::check(
      cuda::driver().copy_to_device(reinterpret_cast<cuda::DevicePointer>(held.as<void>()), element,
                                    static_cast<size_t>(bytes), cuda::current_stream(out.device.index)),
      "copying to the device");
  Window number(out, {}, {});
  number.data = held.as<void>();
  copy_on_device(number, out);
}

void run_cast(const KernelCall& call) {
  if (call.is_value(0)) return copy_on_device(call.in(0), call.out());
  ValueImpl& out = call.out();
  alignas(16) char element[16];
  store(call.number(0), out.dtype, element);
  cuda::use_device(out.device.index);
  cuda::check(cuda::driver().copy_to_device(reinterpret_cast<cuda::DevicePointer>(out.data), element,
                                            static_cast<size_t>(itemsize(out.dtype)),
                                            cuda::current_stream(out.device.index)),
              "copying to the device");
}

}  // namespace

std::string_view device_dtype_name(DType dtype) { return kNames[static_cast<size_t>(dtype)]; }

void copy_on_device(const ValueImpl& from, ValueImpl& to) {
  if (to.size() == 0) return;
  const StridedLoop loop(to.shape, {to.strides, broadcast_strides(from.shape, from.strides, to.shape)});
  const int device = to.device.index;
  if (from.dtype == to.dtype) {
    copy_same_dtype(device, loop, itemsize(to.dtype), from.as<char>(), to.as<char>());
  } else {
    copy_converting(device, loop, from, to);
  }
}

DeviceContiguous::DeviceContiguous(const ValueImpl& value, DType dtype) : data_(value.data) {
  if (value.size() == 0 || (value.contiguous() && dtype == value.dtype)) return;
  copied_ = std::make_unique<cuda::DeviceWorkspace>(value.device.index,
                                                    static_cast<size_t>(value.size() * itemsize(dtype)));
  Window target(value, value.shape, contiguous_strides(value.shape));
  target.dtype = dtype;
  target.data = copied_->as<void>();
  copy_on_device(value, target);
  data_ = target.data;
}

DYAD_CUDA_KERNEL(copy, run_copy);
DYAD_CUDA_KERNEL(contiguous, run_copy);
DYAD_CUDA_KERNEL(reshape, run_reshape);
DYAD_CUDA_KERNEL(strided_view, run_strided_view);
DYAD_CUDA_KERNEL(view_as_complex, run_view_as_complex);
DYAD_CUDA_KERNEL(assign, run_assign);
DYAD_CUDA_KERNEL(copy_into, run_assign);
DYAD_CUDA_KERNEL(cast, run_cast);

}  // namespace dyad::kernels
