#pragma once

#include <cstddef>
#include <memory>

#include "runtime/cuda/event.h"

namespace dyad::cuda {

/// Memory of the host that the device reads by itself, for one copy after another.
class PinnedBuffer {
 public:
  explicit PinnedBuffer(int device) : device_(device) {}
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  ~PinnedBuffer();

  /// Room for so many bytes, when the copies out of what was there are done; null where the host has none.
  char* room(size_t bytes);
  /// The stream's copies out of it have been asked for.
  void lend_to(const Stream& stream);

 private:
  void wait();
  int device_;
  void* block_ = nullptr;
  size_t bytes_ = 0;
  std::unique_ptr<Event> read_;
};

}  // namespace dyad::cuda
