#pragma once

#include "tensor/storage.h"

namespace dyad {

// Memory that code outside the library can write at any time, unseen: a NumPy array lies over it, or a
// capsule was given away. Who keeps what was computed from a tensor asks here besides asking for its version.

/// Code outside the library got hold of the memory, or let go of it again.
void expose(const Storage& storage);
void conceal(const Storage& storage);
/// The storage ends, exposed or not.
void forget_exposure(const Storage& storage);

/// An observer of one storage, which it keeps alive.
class StorageWatch {
 public:
  explicit StorageWatch(Ref<Storage> storage);
  StorageWatch(StorageWatch&& other) noexcept;
  StorageWatch& operator=(StorageWatch&&) = delete;
  ~StorageWatch();

  const Ref<Storage>& storage() const { return storage_; }
  /// Whether the memory is unwritten since the watch began. Never true once it was exposed.
  bool unchanged() const;

 private:
  struct Entry;
  friend struct Exposures;
  Ref<Storage> storage_;
  Entry* entry_;
  uint32_t version_;
  uint64_t exposures_;
};

}  // namespace dyad
