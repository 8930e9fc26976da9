#include "tensor/exposure.h"

#include <mutex>
#include <unordered_map>
#include <utility>

namespace dyad {

struct StorageWatch::Entry {
  std::atomic<int> exposed{0};     ///< how many hold it now
  std::atomic<uint64_t> begun{0};  ///< how often it was exposed
  int watches = 0;
};

struct Exposures {
  using Entry = StorageWatch::Entry;

  std::mutex guard;
  std::unordered_map<const Storage*, Entry> entries;
  std::atomic<size_t> exposed{0};  ///< entries that are exposed: storages come and go without the lock

  static Exposures& instance() {
    static auto* const all = new Exposures;  // storages end after everything else
    return *all;
  }
  void drop_if_idle(const Storage* storage, const Entry& entry) {
    if (entry.exposed == 0 && entry.watches == 0) entries.erase(storage);
  }
};

void expose(const Storage& storage) {
  Exposures& all = Exposures::instance();
  const std::lock_guard lock(all.guard);
  auto& entry = all.entries[&storage];
  entry.begun.fetch_add(1);
  if (entry.exposed.fetch_add(1) == 0) all.exposed.fetch_add(1);
}

void conceal(const Storage& storage) {
  Exposures& all = Exposures::instance();
  const std::lock_guard lock(all.guard);
  const auto found = all.entries.find(&storage);
  if (found == all.entries.end() || found->second.exposed == 0) return;
  if (found->second.exposed.fetch_sub(1) == 1) all.exposed.fetch_sub(1);
  all.drop_if_idle(&storage, found->second);
}

void forget_exposure(const Storage& storage) {
  Exposures& all = Exposures::instance();
  if (all.exposed.load() == 0) [[likely]]
    return;
  const std::lock_guard lock(all.guard);
  const auto found = all.entries.find(&storage);
  if (found == all.entries.end()) return;
  if (found->second.exposed > 0) all.exposed.fetch_sub(1);
  all.entries.erase(found);
}

StorageWatch::StorageWatch(Ref<Storage> storage) : storage_(std::move(storage)) {
  Exposures& all = Exposures::instance();
  const std::lock_guard lock(all.guard);
  entry_ = &all.entries[storage_.get()];
  ++entry_->watches;
  version_ = storage_->version();
  // Begun while exposed, it can never tell.
  exposures_ = entry_->exposed.load() == 0 ? entry_->begun.load() : ~uint64_t{0};
}

StorageWatch::StorageWatch(StorageWatch&& other) noexcept
    : storage_(std::move(other.storage_)),
      entry_(std::exchange(other.entry_, nullptr)),
      version_(other.version_),
      exposures_(other.exposures_) {}

StorageWatch::~StorageWatch() {
  if (!entry_) return;
  Exposures& all = Exposures::instance();
  const std::lock_guard lock(all.guard);
  --entry_->watches;
  all.drop_if_idle(storage_.get(), *entry_);
}

bool StorageWatch::unchanged() const {
  return storage_->version() == version_ && entry_->exposed.load() == 0 && entry_->begun.load() == exposures_;
}

}  // namespace dyad
