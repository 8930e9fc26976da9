#pragma once

#include <cstddef>
#include <cstdint>

namespace dyad {

/// Host memory with caching. Freed blocks go to a free list of their size class and the next request of that
/// class pops one; small blocks have a list per thread, so that a hit takes no lock, and a thread that ends
/// leaves its blocks to the others. Blocks are aligned to 64 bytes.
namespace host_memory {

/// At least `bytes` bytes. A request beyond the memory that is left raises a MemoryError; the process lives
/// on.
void* allocate(size_t bytes);
/// Returns a block; `bytes` is what it was asked for with.
void release(void* block, size_t bytes) noexcept;
/// Gives all cached blocks of the calling thread and all shared ones back to the system.
void empty_cache();

/// How much host memory there is, over all threads.
struct Statistics {
  int64_t allocated;      ///< bytes in use
  int64_t max_allocated;  ///< the most that was ever in use since the last reset
  int64_t reserved;       ///< bytes in use or cached
  int64_t max_reserved;
};
Statistics statistics();
void reset_peaks();

}  // namespace host_memory

/// Scratch memory of a kernel; goes back to the cache when it leaves scope.
class Workspace {
 public:
  explicit Workspace(size_t bytes) : bytes_(bytes), block_(host_memory::allocate(bytes)) {}
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() { host_memory::release(block_, bytes_); }
  template <class T>
  T* as() const {
    return static_cast<T*>(block_);
  }

 private:
  size_t bytes_;
  void* block_;
};

}  // namespace dyad
