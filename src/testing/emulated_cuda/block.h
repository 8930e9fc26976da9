#pragma once

// The emulated device as device code sees it: the functions of `intrinsics.h` for the host, and how a kernel
// of device code becomes known to the emulated driver.

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace dyad::cuda::emulated {

/// Sizes along x, y and z.
struct Extent {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
};

/// What the thread that is running knows of itself; written by the one that runs blocks.
struct Place {
  Extent thread;
  Extent block;
  Extent threads;
  Extent blocks;
  char* dynamic_shared = nullptr;
};
extern thread_local Place place;

/// Waits until every thread of the block that has not ended calls it.
void meet_block();
/// Lays down a word for the warp, waits for the other lanes, and gives that of another lane.
uint32_t exchange(uint32_t word, uint32_t from_lane);
/// A bit for each lane whose vote is true.
uint32_t vote(bool mine);
uint32_t lane();
/// Room in every block's shared memory for one variable of device code.
size_t reserve_shared(size_t bytes);
/// That room in the running block; its bytes mean nothing until the block writes them.
char* shared_at(size_t room, size_t bytes);

/// A kernel by its name; kept in a list while the library loads.
struct Kernel {
  using Run = void (*)(const void* params);
  Kernel(const char* kernel_name, Run run_thread, size_t bytes);
  const char* name;
  Run run;
  size_t params_bytes;
  const Kernel* next;
};
const Kernel* find_kernel(const char* name, size_t length);

/// Runs the blocks of a launch one by one on the calling thread. False where threads of a block wait for each
/// other for ever.
bool run_blocks(const Kernel& kernel, Extent blocks, Extent threads, size_t shared_bytes, const void* params);

}  // namespace dyad::cuda::emulated

#define DYAD_DEVICE_INLINE inline

#define DYAD_DEVICE_KERNEL(name, Params)                                                             \
  static void name(const Params& p);                                                                 \
  static const ::dyad::cuda::emulated::Kernel name##_known(                                          \
      #name, [](const void* params) { name(*static_cast<const Params*>(params)); }, sizeof(Params)); \
  static void name(const Params& p)

#define DYAD_SHARED(T, name, count)                                                              \
  static const size_t name##_room = ::dyad::cuda::emulated::reserve_shared(sizeof(T) * (count)); \
  T* const name = reinterpret_cast<T*>(::dyad::cuda::emulated::shared_at(name##_room, sizeof(T) * (count)))

namespace dyad::cuda::device {

template <class T>
T* dynamic_shared() {
  return reinterpret_cast<T*>(emulated::place.dynamic_shared);
}

inline uint32_t thread_x() { return emulated::place.thread.x; }
inline uint32_t thread_y() { return emulated::place.thread.y; }
inline uint32_t thread_z() { return emulated::place.thread.z; }
inline uint32_t block_x() { return emulated::place.block.x; }
inline uint32_t block_y() { return emulated::place.block.y; }
inline uint32_t block_z() { return emulated::place.block.z; }
inline uint32_t threads_x() { return emulated::place.threads.x; }
inline uint32_t threads_y() { return emulated::place.threads.y; }
inline uint32_t threads_z() { return emulated::place.threads.z; }
inline uint32_t blocks_x() { return emulated::place.blocks.x; }
inline uint32_t blocks_y() { return emulated::place.blocks.y; }
inline uint32_t blocks_z() { return emulated::place.blocks.z; }

inline void sync_threads() { emulated::meet_block(); }
inline void sync_warp() { emulated::exchange(0, emulated::lane()); }
inline void fence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline uint32_t ballot(bool mine) { return emulated::vote(mine); }

namespace words {
inline uint32_t shuffle_down(uint32_t word, uint32_t n) {
  const uint32_t own = emulated::lane();
  return emulated::exchange(word, own + n < 32 ? own + n : own);
}
inline uint32_t shuffle_up(uint32_t word, uint32_t n) {
  const uint32_t own = emulated::lane();
  return emulated::exchange(word, own >= n ? own - n : own);
}
inline uint32_t shuffle_xor(uint32_t word, uint32_t n) {
  return emulated::exchange(word, (emulated::lane() ^ n) & 31);
}
inline uint32_t shuffle_from(uint32_t word, uint32_t lane) { return emulated::exchange(word, lane & 31); }
}  // namespace words

template <class T>
T atomic_cas(T* at, T expected, T value) {
  __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}

/// Replaces what is there by `change` of it, also for types without an atomic operation.
template <class T, class Change>
T atomic_change(T* at, Change change) {
  T seen;
  __atomic_load(at, &seen, __ATOMIC_RELAXED);
  T wanted = change(seen);
  while (!__atomic_compare_exchange(at, &seen, &wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    wanted = change(seen);
  return seen;
}
template <class T>
T atomic_add(T* at, T value) {
  return atomic_change(at, [value](T there) { return static_cast<T>(there + value); });
}
template <class T>
  requires std::is_integral_v<T>
T atomic_or(T* at, T value) {
  return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
template <class T>
  requires std::is_integral_v<T>
T atomic_min(T* at, T value) {
  return atomic_change(at, [value](T there) { return value < there ? value : there; });
}
template <class T>
  requires std::is_integral_v<T>
T atomic_max(T* at, T value) {
  return atomic_change(at, [value](T there) { return value > there ? value : there; });
}
template <class T>
  requires std::is_integral_v<T>
T atomic_exchange(T* at, T value) {
  return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}

}  // namespace dyad::cuda::device
