#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "base/intrusive.h"
#include "types/device.h"

namespace dyad {

/// A stretch of a device's memory that tensors share. It is ours (from the caching allocator) or borrowed
/// from an outside owner (a NumPy array, another framework), who is told when the last tensor lets go.
class Storage final : public RefCounted {
 public:
  using Release = std::function<void()>;

  /// Memory of our own, not initialised.
  static Ref<Storage> allocate(size_t bytes, Device device = {});
  /// Memory of another owner, kept alive until `release` is called.
  static Ref<Storage> borrow(void* data, size_t bytes, bool writable, Release release, Device device = {});
  ~Storage() override;

  /// No memory at all: what symbolic tensors share.
  static Ref<Storage> symbolic();

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  Device device() const { return device_; }
  bool writable() const { return writable_; }
  /// Counts writes, so that who saved a value can tell whether it was overwritten.
  uint32_t version() const { return version_.load(std::memory_order_relaxed); }
  void bump_version() { version_.fetch_add(1, std::memory_order_relaxed); }

  /// What is here now is kept for later (a gradient will need it), or is kept no longer.
  void keep() { ++keepers_; }
  void drop();
  bool is_kept() const { return keepers_ > 0; }
  /// Before a write of state: puts the contents aside for those who keep them.
  void preserve();
  /// The same where another owner has put them aside.
  void preserve(Ref<Storage> contents);
  /// The contents as they were at `version`, if they were put aside; else empty.
  Ref<Storage> preserved(uint32_t version) const;

  /// Which part of a program was being captured when this memory was made; 0 for memory made elsewhere.
  uint64_t birthplace() const { return birthplace_; }
  /// What memory made by this thread from now on says. Asked for only while there are captures.
  static void set_birthplace(uint64_t place);
  /// How many threads capture a program and symbolic storages there are. While it is 0, nothing more is
  /// asked.
  static std::atomic<int> captures;

  /// A graph has taken the memory over: what it holds is known only when that runs.
  bool taken() const { return taken_; }
  void take_over() { taken_ = true; }

  // Storage objects are made and dropped with every operator: they come from the caching allocator too.
  static void* operator new(size_t bytes);
  static void operator delete(void* block, size_t bytes);

 private:
  Storage() = default;
  void note_birth();
  void* data_ = nullptr;
  size_t bytes_ = 0;
  Device device_;
  bool writable_ = true;
  bool taken_ = false;
  bool symbolic_ = false;
  std::atomic<uint32_t> version_{0};
  Release release_;
  uint32_t keepers_ = 0;
  uint64_t birthplace_ = 0;
  struct Preserved {
    uint32_t version;
    Ref<Storage> contents;
  };
  std::unique_ptr<std::vector<Preserved>> preserved_;
};

}  // namespace dyad
