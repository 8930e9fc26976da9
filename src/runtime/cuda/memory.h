#pragma once

#include <cstddef>

#include "runtime/cuda/driver.h"
#include "runtime/device.h"

namespace dyad::cuda {

/// Device memory with caching. A block that is released may be handed out again at once on the stream it was
/// allocated for: what uses it next runs later. Raises a MemoryError that says what holds memory where none
/// is left even after the cache was given back.
void* allocate(int device, size_t bytes);
void release(int device, void* block) noexcept;
/// The block is used on a stream besides the one it was allocated for: it is not handed out again before that
/// work is done.
void note_use(int device, void* block, StreamHandle stream);

MemoryStatistics memory_statistics(int device);
void reset_memory_peaks(int device);
/// Gives segments of which nothing is in use back to the driver.
void empty_memory_cache(int device);
void set_memory_limit(int device, int64_t bytes);

/// Scratch memory of a kernel on the device; goes back to the cache when it leaves scope.
class DeviceWorkspace {
 public:
  DeviceWorkspace(int device, size_t bytes) : device_(device), block_(allocate(device, bytes)) {}
  DeviceWorkspace(const DeviceWorkspace&) = delete;
  DeviceWorkspace& operator=(const DeviceWorkspace&) = delete;
  ~DeviceWorkspace() { release(device_, block_); }
  template <class T>
  T* as() const {
    return static_cast<T*>(block_);
  }

 private:
  int device_;
  void* block_;
};

}  // namespace dyad::cuda
