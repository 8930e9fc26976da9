#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

#include "base/intrusive.h"

namespace dyad {

/// A stretch of host memory that tensors share. It is ours (from the caching allocator) or borrowed from an
/// outside owner (a NumPy array, another framework), who is told when the last tensor lets go.
class Storage final : public RefCounted {
 public:
  using Release = std::function<void()>;

  /// Memory of our own, not initialised.
  static Ref<Storage> allocate(size_t bytes);
  /// Memory of somebody else, kept alive until `release` is called.
  static Ref<Storage> borrow(void* data, size_t bytes, bool writable, Release release);
  ~Storage() override;

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  bool writable() const { return writable_; }
  /// Counts writes, so that who saved a value can tell whether it was overwritten.
  uint32_t version() const { return version_.load(std::memory_order_relaxed); }
  void bump_version() { version_.fetch_add(1, std::memory_order_relaxed); }

  // Storage objects are made and dropped with every operator: they come from the caching allocator too.
  static void* operator new(size_t bytes);
  static void operator delete(void* block, size_t bytes);

 private:
  Storage() = default;
  void* data_ = nullptr;
  size_t bytes_ = 0;
  bool writable_ = true;
  std::atomic<uint32_t> version_{0};
  Release release_;
};

}  // namespace dyad
