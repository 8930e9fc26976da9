#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "tensor/storage.h"

namespace dyad {

/// Which storages are written while somebody wants to know: captures, which would otherwise have to look at
/// all memory that they know after each operator.
class Writes {
 public:
  /// Counts a write of a storage, and lists it.
  static void add(Storage& storage) {
    storage.bump_version();
    note(storage);
  }
  /// Lists a storage that is another one from now on, to those who compare versions.
  static void note(const Storage& storage) {
    if (readers_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      list(storage);
  }

  /// Between these two calls writes of all threads are listed.
  static void begin();
  static void end();

  struct Listed {
    uint64_t until = 0;    ///< the moment up to which they are listed
    bool complete = true;  ///< false: writes were not listed all the time since then
    std::vector<const Storage*> storages;
  };
  /// What was written since a moment that an earlier call told.
  static Listed since(uint64_t moment);

 private:
  static void list(const Storage& storage);
  static std::atomic<int> readers_;
};

}  // namespace dyad
