#pragma once

// Functions of cuFFT, and its constants as its documentation has them.

#include <cstddef>

#include "kernels/cuda/library.h"
#include "runtime/cuda/driver.h"

namespace dyad::cuda {

namespace fft {

using Plan = int;
/// Of what numbers.
enum class Kind : int { kComplex64 = 0x29, kComplex128 = 0x69 };
/// Forth or back.
enum class Direction : int { kForward = -1, kInverse = 1 };

// clang-format off
#define DYAD_CUFFT(entry) \
  entry(cufftCreate, create, (Plan* plan)) \
  entry(cufftDestroy, destroy, (Plan plan)) \
  entry(cufftSetAutoAllocation, set_own_memory, (Plan plan, int on)) \
  entry(cufftMakePlanMany64, make_plan, \
        (Plan plan, int rank, long long* sizes, long long* in_sizes, long long in_stride, \
         long long in_distance, long long* out_sizes, long long out_stride, long long out_distance, int kind, \
         long long count, size_t* bytes)) \
  entry(cufftSetStream, set_stream, (Plan plan, StreamHandle stream)) \
  entry(cufftSetWorkArea, set_memory, (Plan plan, void* memory)) \
  entry(cufftExecC2C, transform_float, (Plan plan, void* from, void* to, int direction)) \
  entry(cufftExecZ2Z, transform_double, (Plan plan, void* from, void* to, int direction))
// clang-format on

/// The functions of the library that are called.
struct Api : Library {
  DYAD_CUFFT(DYAD_LIBRARY_POINTER)
};

}  // namespace fft

/// cuFFT, opened at the first call.
const fft::Api& cufft();

}  // namespace dyad::cuda
