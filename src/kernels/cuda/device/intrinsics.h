#pragma once

// What device code may ask of the machine it runs on: who a thread is, barriers, exchange within a warp,
// atomics, shared memory. clang turns it into PTX; with DYAD_EMULATED_CUDA, the header of an emulated device,
// the same sources are compiled for the host and run by that device.
//
//   DYAD_DEVICE_KERNEL(scale, ScaleParams) {
//     DYAD_FOR_EACH(i, p.count) p.out[i] = p.in[i] * p.factor;
//   }
//
// A kernel has one parameter, `p`, a structure that host and device share (kernels/cuda/params). Its name is
// the one by which it is launched, whatever the namespace.

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#ifdef DYAD_EMULATED_CUDA
#include DYAD_EMULATED_CUDA
#endif

namespace dyad::cuda::device {

inline constexpr uint32_t kWarpSize = 32;
inline constexpr uint32_t kWholeWarp = 0xffffffffu;

#ifndef DYAD_EMULATED_CUDA

#define DYAD_DEVICE_INLINE __attribute__((always_inline)) inline

#define DYAD_DEVICE_KERNEL(name, Params) extern "C" __attribute__((nvptx_kernel)) void name(const Params p)

// Where the C++ library or the compiler call these by name.
extern "C" {
DYAD_DEVICE_INLINE __attribute__((used)) double sqrt(double x) noexcept { return __nvvm_sqrt_rn_d(x); }
DYAD_DEVICE_INLINE __attribute__((used)) float sqrtf(float x) noexcept { return __nvvm_sqrt_rn_f(x); }
DYAD_DEVICE_INLINE __attribute__((used)) double fma(double a, double b, double c) noexcept {
  return __nvvm_fma_rn_d(a, b, c);
}
DYAD_DEVICE_INLINE __attribute__((used)) float fmaf(float a, float b, float c) noexcept {
  return __nvvm_fma_rn_f(a, b, c);
}
}

/// `count` elements in the shared memory of the block, as a pointer `name`.
#define DYAD_SHARED(T, name, count)                                                                       \
  [[clang::loader_uninitialized]] static __attribute__((address_space(3), aligned(16))) T name##_[count]; \
  T* const name = (T*)name##_

extern "C" {
extern __attribute__((address_space(3), aligned(16))) char dyad_dynamic_shared[];
}

/// The shared memory of which the launch tells the size.
template <class T>
DYAD_DEVICE_INLINE T* dynamic_shared() {
  return (T*)dyad_dynamic_shared;
}

DYAD_DEVICE_INLINE uint32_t thread_x() { return __nvvm_read_ptx_sreg_tid_x(); }
DYAD_DEVICE_INLINE uint32_t thread_y() { return __nvvm_read_ptx_sreg_tid_y(); }
DYAD_DEVICE_INLINE uint32_t thread_z() { return __nvvm_read_ptx_sreg_tid_z(); }
DYAD_DEVICE_INLINE uint32_t block_x() { return __nvvm_read_ptx_sreg_ctaid_x(); }
DYAD_DEVICE_INLINE uint32_t block_y() { return __nvvm_read_ptx_sreg_ctaid_y(); }
DYAD_DEVICE_INLINE uint32_t block_z() { return __nvvm_read_ptx_sreg_ctaid_z(); }
DYAD_DEVICE_INLINE uint32_t threads_x() { return __nvvm_read_ptx_sreg_ntid_x(); }
DYAD_DEVICE_INLINE uint32_t threads_y() { return __nvvm_read_ptx_sreg_ntid_y(); }
DYAD_DEVICE_INLINE uint32_t threads_z() { return __nvvm_read_ptx_sreg_ntid_z(); }
DYAD_DEVICE_INLINE uint32_t blocks_x() { return __nvvm_read_ptx_sreg_nctaid_x(); }
DYAD_DEVICE_INLINE uint32_t blocks_y() { return __nvvm_read_ptx_sreg_nctaid_y(); }
DYAD_DEVICE_INLINE uint32_t blocks_z() { return __nvvm_read_ptx_sreg_nctaid_z(); }

/// Waits for all threads of the block; what they wrote before is seen behind it.
DYAD_DEVICE_INLINE void sync_threads() { __syncthreads(); }
DYAD_DEVICE_INLINE void sync_warp() { __nvvm_bar_warp_sync(kWholeWarp); }
/// What this thread wrote to memory of the device is seen by others before what it writes next.
DYAD_DEVICE_INLINE void fence() { __nvvm_membar_gl(); }

/// A bit per lane of the warp.
DYAD_DEVICE_INLINE uint32_t ballot(bool vote) { return __nvvm_vote_ballot_sync(kWholeWarp, vote); }

namespace words {
DYAD_DEVICE_INLINE uint32_t shuffle_down(uint32_t word, uint32_t n) {
  return static_cast<uint32_t>(__nvvm_shfl_sync_down_i32(kWholeWarp, static_cast<int>(word), n, 31));
}
DYAD_DEVICE_INLINE uint32_t shuffle_up(uint32_t word, uint32_t n) {
  return static_cast<uint32_t>(__nvvm_shfl_sync_up_i32(kWholeWarp, static_cast<int>(word), n, 0));
}
DYAD_DEVICE_INLINE uint32_t shuffle_xor(uint32_t word, uint32_t n) {
  return static_cast<uint32_t>(__nvvm_shfl_sync_bfly_i32(kWholeWarp, static_cast<int>(word), n, 31));
}
DYAD_DEVICE_INLINE uint32_t shuffle_from(uint32_t word, uint32_t lane) {
  return static_cast<uint32_t>(__nvvm_shfl_sync_idx_i32(kWholeWarp, static_cast<int>(word), lane, 31));
}
}  // namespace words

// Atomics give what was there before. They hold for memory of the device and for shared memory.

template <class T>
DYAD_DEVICE_INLINE T atomic_add(T* at, T value) {
  return __scoped_atomic_fetch_add(at, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
template <class T>
  requires std::is_integral_v<T>
DYAD_DEVICE_INLINE T atomic_or(T* at, T value) {
  return __scoped_atomic_fetch_or(at, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
template <class T>
  requires std::is_integral_v<T>
DYAD_DEVICE_INLINE T atomic_min(T* at, T value) {
  return __scoped_atomic_fetch_min(at, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
template <class T>
  requires std::is_integral_v<T>
DYAD_DEVICE_INLINE T atomic_max(T* at, T value) {
  return __scoped_atomic_fetch_max(at, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
template <class T>
  requires std::is_integral_v<T>
DYAD_DEVICE_INLINE T atomic_exchange(T* at, T value) {
  return __scoped_atomic_exchange_n(at, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
/// Writes `value` if `expected` is there.
template <class T>
  requires std::is_integral_v<T>
DYAD_DEVICE_INLINE T atomic_cas(T* at, T expected, T value) {
  __scoped_atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                     __MEMORY_SCOPE_DEVICE);
  return expected;
}

#endif

/// The place of the thread in its warp. Warps go along x, then y, then z.
DYAD_DEVICE_INLINE uint32_t lane() {
  return (thread_x() + threads_x() * (thread_y() + threads_y() * thread_z())) % kWarpSize;
}

/// Exchange within a warp, of any type of whole 4 bytes or less: every lane of the warp must take part.
template <class T, class Words>
DYAD_DEVICE_INLINE T exchange_words(T value, Words words) {
  static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) < 4 || sizeof(T) % 4 == 0));
  constexpr int kWords = sizeof(T) < 4 ? 1 : sizeof(T) / 4;
  uint32_t parts[kWords] = {};
  __builtin_memcpy(parts, &value, sizeof(T));
  for (uint32_t& part : parts) part = words(part);
  __builtin_memcpy(&value, parts, sizeof(T));
  return value;
}

/// The value of lane + n; one's own where there is none.
template <class T>
DYAD_DEVICE_INLINE T shuffle_down(T value, uint32_t n) {
  return exchange_words(value, [n](uint32_t word) { return words::shuffle_down(word, n); });
}
/// The value of lane - n; one's own where there is none.
template <class T>
DYAD_DEVICE_INLINE T shuffle_up(T value, uint32_t n) {
  return exchange_words(value, [n](uint32_t word) { return words::shuffle_up(word, n); });
}
template <class T>
DYAD_DEVICE_INLINE T shuffle_xor(T value, uint32_t n) {
  return exchange_words(value, [n](uint32_t word) { return words::shuffle_xor(word, n); });
}
/// The value of one lane for all.
template <class T>
DYAD_DEVICE_INLINE T shuffle_from(T value, uint32_t lane) {
  return exchange_words(value, [lane](uint32_t word) { return words::shuffle_from(word, lane); });
}

/// Minimum (or maximum) of floats, which have none of their own: a NaN wins and stays.
template <class T, class Better>
DYAD_DEVICE_INLINE T atomic_best(T* at, T value, Better better) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  Bits* place = reinterpret_cast<Bits*>(at);
  Bits seen = std::bit_cast<Bits>(*const_cast<volatile T*>(at));
  while (true) {
    const T there = std::bit_cast<T>(seen);
    if (there != there || !(value != value || better(value, there))) return there;
    const Bits found = atomic_cas(place, seen, std::bit_cast<Bits>(value));
    if (found == seen) return there;
    seen = found;
  }
}
template <class T>
  requires std::is_floating_point_v<T>
DYAD_DEVICE_INLINE T atomic_min(T* at, T value) {
  return atomic_best(at, value, [](T a, T b) { return a < b; });
}
template <class T>
  requires std::is_floating_point_v<T>
DYAD_DEVICE_INLINE T atomic_max(T* at, T value) {
  return atomic_best(at, value, [](T a, T b) { return a > b; });
}

/// `count` elements that are loaded and stored as one.
template <class T, int count>
struct alignas(sizeof(T) * count < 16 ? sizeof(T) * count : 16) Pack {
  T at[count];
};

/// The number of this thread among all of the grid along x, and how many there are.
DYAD_DEVICE_INLINE int64_t global_thread() {
  return static_cast<int64_t>(block_x()) * threads_x() + thread_x();
}
DYAD_DEVICE_INLINE int64_t global_threads() { return static_cast<int64_t>(blocks_x()) * threads_x(); }

}  // namespace dyad::cuda::device

/// Every index below `count`, shared out to the threads of the grid.
#define DYAD_FOR_EACH(i, count)                                                                              \
  for (int64_t i = ::dyad::cuda::device::global_thread(), i##_step = ::dyad::cuda::device::global_threads(), \
               i##_end = (count);                                                                            \
       i < i##_end; i += i##_step)
