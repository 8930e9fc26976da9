#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace dyad::host_memory {

/// A cached block looks like live memory to AddressSanitizer, and so do the bytes by which a block is larger
/// than what was asked for. These marks tell it better. They do nothing in other builds.
#if defined(__SANITIZE_ADDRESS__)

/// Only the first `bytes` of the block of `whole` bytes may be used. They are filled with ones, NaN as
/// floating numbers and -1 as integers, so that a result made of uninitialised memory is seen to be wrong.
inline void mark_used(void* block, size_t bytes, size_t whole) {
  constexpr size_t kMostFilled = 1 << 20;  // untouched pages of large blocks stay untouched
  ASAN_UNPOISON_MEMORY_REGION(block, bytes);
  ASAN_POISON_MEMORY_REGION(static_cast<char*>(block) + bytes, whole - bytes);
  std::memset(block, 0xFF, std::min(bytes, kMostFilled));
}
/// Nothing but the first `kept` bytes may be used.
inline void mark_cached(void* block, size_t kept, size_t whole) {
  ASAN_UNPOISON_MEMORY_REGION(block, kept);
  ASAN_POISON_MEMORY_REGION(static_cast<char*>(block) + kept, whole - kept);
}

#else

inline void mark_used(void*, size_t, size_t) {}
inline void mark_cached(void*, size_t, size_t) {}

#endif

}  // namespace dyad::host_memory
