#pragma once

#include "kernels/cuda/device/block_reduce.h"
#include "kernels/cuda/params/lines.h"

namespace dyad::cuda::device {

/// Who works on a line: a block, for lines whose elements lie side by side, or a thread, for lines that do.
template <class T>
struct BlockWorker {
  T* places;  ///< shared memory for kMostWarps values
  DYAD_DEVICE_INLINE int64_t first() const { return block_x(); }
  DYAD_DEVICE_INLINE int64_t step() const { return blocks_x(); }
  DYAD_DEVICE_INLINE bool leads() const { return thread_x() == 0; }
  template <class Visit>
  DYAD_DEVICE_INLINE void each(int64_t count, Visit visit) const {
    for (int64_t i = thread_x(); i < count; i += threads_x()) visit(i);
  }
  template <class Combine>
  DYAD_DEVICE_INLINE T reduce(T value, Combine combine) const {
    return reduce_block(value, combine, places);
  }
};

/// A thread for each line.
template <class T>
struct ThreadWorker {
  DYAD_DEVICE_INLINE int64_t first() const { return global_thread(); }
  DYAD_DEVICE_INLINE int64_t step() const { return global_threads(); }
  DYAD_DEVICE_INLINE bool leads() const { return true; }
  template <class Visit>
  DYAD_DEVICE_INLINE void each(int64_t count, Visit visit) const {
    for (int64_t i = 0; i < count; ++i) visit(i);
  }
  template <class Combine>
  DYAD_DEVICE_INLINE T reduce(T value, Combine) const {
    return value;
  }
};

}  // namespace dyad::cuda::device

/// A kernel for lines in one piece, `NAME_line…`, and one for lines side by side, `NAME_columns…`, of a
/// function `body<S>(p, worker)`, for each floating-point dtype.
#define DYAD_LINE_KERNEL_(name, Params, body, S, dtype)                                       \
  DYAD_DEVICE_KERNEL(name##_line_##dtype, Params) {                                           \
    DYAD_SHARED(::dyad::cuda::device::Computed<S>, places, ::dyad::cuda::device::kMostWarps); \
    body<S>(p, ::dyad::cuda::device::BlockWorker<::dyad::cuda::device::Computed<S>>{places}); \
  }                                                                                           \
  DYAD_DEVICE_KERNEL(name##_columns_##dtype, Params) {                                        \
    body<S>(p, ::dyad::cuda::device::ThreadWorker<::dyad::cuda::device::Computed<S>>{});      \
  }
#define DYAD_LINE_KERNELS(name, Params, body)            \
  DYAD_LINE_KERNEL_(name, Params, body, float, float32)  \
  DYAD_LINE_KERNEL_(name, Params, body, double, float64) \
  DYAD_LINE_KERNEL_(name, Params, body, Half, float16)   \
  DYAD_LINE_KERNEL_(name, Params, body, BFloat16, bfloat16)
