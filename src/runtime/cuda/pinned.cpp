#include "runtime/cuda/pinned.h"

#include <bit>

namespace dyad::cuda {

namespace {
constexpr unsigned kPortable = 1;
constexpr size_t kLeast = size_t{64} << 10;
}  // namespace

PinnedBuffer::~PinnedBuffer() {
  // The driver waits for copies that are under way.
  if (block_) driver().release_host(block_);
}

void PinnedBuffer::wait() {
  // Not `synchronize`: faults of other work are not raised by a copy.
  if (read_) read_->wait();
  read_.reset();
}

char* PinnedBuffer::room(size_t bytes) {
  wait();
  if (bytes <= bytes_) return static_cast<char*>(block_);
  use_device(device_);
  if (block_) driver().release_host(block_);
  block_ = nullptr;
  bytes_ = std::bit_ceil(bytes < kLeast ? kLeast : bytes);
  if (driver().allocate_host(&block_, bytes_, kPortable) != kSuccess) {
    block_ = nullptr;
    bytes_ = 0;
  }
  return static_cast<char*>(block_);
}

void PinnedBuffer::lend_to(const Stream& stream) {
  read_ = std::make_unique<Event>(device_, false, false);
  read_->record(stream);
}

}  // namespace dyad::cuda
