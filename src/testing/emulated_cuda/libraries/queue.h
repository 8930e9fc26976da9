#pragma once

// What the emulated libraries have in common: work in the order of a stream, and numbers in any format.

#include <complex>
#include <cstring>
#include <utility>

#include "kernels/cuda/cublas_lt.h"
#include "types/half.h"

#define DYAD_LIBRARY_FUNCTION extern "C" __attribute__((visibility("default"))) int
#define DYAD_CHECK_LIBRARY(symbol, name, parameters) \
  static_assert(std::is_same_v<decltype(&symbol), decltype(Api::name)>);

extern "C" int cuLaunchHostFunc(dyad::cuda::StreamHandle stream, void (*run)(void*), void* data);

namespace dyad::cuda::emulated {

inline constexpr int kDone = 0;
inline constexpr int kInvalid = 7;

/// Adds work to a stream: it runs later, on the stream's thread.
template <class Work>
int enqueue(StreamHandle stream, Work work) {
  auto* kept = new Work(std::move(work));
  return cuLaunchHostFunc(
      stream,
      [](void* data) {
        auto* run = static_cast<Work*>(data);
        (*run)();
        delete run;
      },
      kept);
}

using Number = std::complex<double>;

inline int64_t bytes_of(int format) {
  switch (static_cast<DataFormat>(format)) {
    case DataFormat::kFloat16:
    case DataFormat::kBFloat16:
      return 2;
    case DataFormat::kFloat32:
      return 4;
    case DataFormat::kFloat64:
    case DataFormat::kComplex64:
      return 8;
    case DataFormat::kComplex128:
      return 16;
  }
  return 0;
}

template <class T>
T read_as(const void* data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}
template <class T>
void write_as(void* data, int64_t index, T value) {
  std::memcpy(static_cast<char*>(data) + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

inline Number load(int format, const void* data, int64_t index) {
  switch (static_cast<DataFormat>(format)) {
    case DataFormat::kFloat16:
      return static_cast<float>(read_as<Half>(data, index));
    case DataFormat::kBFloat16:
      return static_cast<float>(read_as<BFloat16>(data, index));
    case DataFormat::kFloat32:
      return read_as<float>(data, index);
    case DataFormat::kFloat64:
      return read_as<double>(data, index);
    case DataFormat::kComplex64:
      return Number(read_as<std::complex<float>>(data, index));
    case DataFormat::kComplex128:
      return read_as<Number>(data, index);
  }
  return 0;
}

inline void store(int format, void* data, int64_t index, Number value) {
  switch (static_cast<DataFormat>(format)) {
    case DataFormat::kFloat16:
      return write_as(data, index, Half(static_cast<float>(value.real())));
    case DataFormat::kBFloat16:
      return write_as(data, index, BFloat16(static_cast<float>(value.real())));
    case DataFormat::kFloat32:
      return write_as(data, index, static_cast<float>(value.real()));
    case DataFormat::kFloat64:
      return write_as(data, index, value.real());
    case DataFormat::kComplex64:
      return write_as(data, index, std::complex<float>(value));
    case DataFormat::kComplex128:
      return write_as(data, index, value);
  }
}

}  // namespace dyad::cuda::emulated
