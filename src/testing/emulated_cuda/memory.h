#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace dyad::cuda::emulated {

/// Memory of the emulated devices, in a range of addresses of its own. The host cannot touch it: where the
/// processor has protection keys only the threads of streams have access, elsewhere it is open only while one
/// of them is at work. What is released is unmapped, what is new holds poison.
class Memory {
 public:
  static constexpr int kMostDevices = 8;

  Memory();
  /// Null where the limit of the device would be passed.
  void* allocate(int device, size_t bytes);
  bool release(void* block);
  size_t used(int device);
  size_t limit() const { return limit_; }
  /// The device that the address belongs to; -1 if none.
  int device_of(const void* address);

  void* allocate_host(size_t bytes);
  bool release_host(void* block);
  bool is_host(const void* address, size_t bytes);

  /// Opens the memory to the calling thread, which is that of a stream, and closes it again.
  void begin_work();
  void end_work();

 private:
  struct Block {
    size_t bytes;
    int device;
  };
  void protect_all(int rights);
  void protect(char* block, size_t bytes, int rights);

  std::mutex lock_;
  char* begin_ = nullptr;
  size_t limit_ = 0;
  int key_ = -1;
  int working_ = 0;
  size_t used_[kMostDevices] = {};
  std::map<char*, Block> blocks_;
  std::map<char*, size_t> host_;
};

}  // namespace dyad::cuda::emulated
