#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dyad {

/// A map from addresses to small items, in one piece of memory: what every pass makes anew for each value or
/// node of a graph must not allocate for each. Nothing is ever taken out; adding moves the items.
template <class Item>
class PointerMap {
 public:
  /// Makes room for that many.
  explicit PointerMap(size_t expected = 0) : slots_(std::bit_ceil(2 * expected + 2)) {}

  /// The item of `key`, made if there is none; the key must not be null.
  Item& operator[](const void* key) {
    size_t slot = slot_of(key);
    if (slots_[slot].key) return slots_[slot].item;
    if (2 * (count_ + 1) > slots_.size()) {
      grow();
      slot = slot_of(key);
    }
    ++count_;
    slots_[slot].key = key;
    return slots_[slot].item;
  }
  /// The item of `key`, or null.
  const Item* find(const void* key) const {
    const Slot& slot = slots_[slot_of(key)];
    return slot.key ? &slot.item : nullptr;
  }
  Item* find(const void* key) { return const_cast<Item*>(std::as_const(*this).find(key)); }
  size_t size() const { return count_; }

 private:
  struct Slot {
    const void* key = nullptr;
    Item item = {};
  };
  /// Where the key is, or where it would be put.
  size_t slot_of(const void* key) const {
    const auto mixed = (reinterpret_cast<uintptr_t>(key) >> 4) * 0x9E3779B97F4A7C15u;
    const size_t mask = slots_.size() - 1;
    size_t slot = (mixed >> 32) & mask;
    while (slots_[slot].key && slots_[slot].key != key) slot = (slot + 1) & mask;
    return slot;
  }
  void grow() {
    std::vector<Slot> before(2 * slots_.size());
    before.swap(slots_);
    for (Slot& slot : before) {
      if (slot.key) slots_[slot_of(slot.key)] = std::move(slot);
    }
  }

  std::vector<Slot> slots_;
  size_t count_ = 0;
};

}  // namespace dyad
