#include "tensor/storage.h"

#include <cstring>
#include <mutex>

#include "runtime/allocator.h"
#include "runtime/device.h"
#include "tensor/exposure.h"
#include "tensor/writes.h"

namespace dyad {

std::atomic<int> Storage::captures{0};

namespace {
thread_local uint64_t birthplace_here = 0;
}

void Storage::set_birthplace(uint64_t place) { birthplace_here = place; }

void Storage::note_birth() {
  if (captures.load(std::memory_order_relaxed) != 0) [[unlikely]]
    birthplace_ = birthplace_here;
}

Ref<Storage> Storage::symbolic() {
  Ref<Storage> storage = borrow(nullptr, 0, true, [] {});
  storage->symbolic_ = true;
  captures.fetch_add(1);
  return storage;
}

Ref<Storage> Storage::allocate(size_t bytes, Device device) {
  void* data = device.kind == DeviceKind::kCpu ? host_memory::allocate(bytes)
                                               : runtime_of(device).allocate(device.index, bytes);
  Ref<Storage> storage(new Storage);
  storage->device_ = device;
  storage->data_ = data;
  storage->bytes_ = bytes;
  storage->note_birth();
  return storage;
}

Ref<Storage> Storage::borrow(void* data, size_t bytes, bool writable, Release release, Device device) {
  Ref<Storage> storage(new Storage);
  storage->device_ = device;
  storage->data_ = data;
  storage->bytes_ = bytes;
  storage->writable_ = writable;
  storage->release_ = std::move(release);
  return storage;
}

Storage::~Storage() {
  forget_exposure(*this);
  if (symbolic_) captures.fetch_sub(1);
  if (release_) {
    release_();
  } else if (device_.kind == DeviceKind::kCpu) {
    host_memory::release(data_, bytes_);
  } else {
    runtime_of(device_).release(device_.index, data_, bytes_);
  }
}

void Storage::drop() {
  if (--keepers_ == 0) preserved_.reset();
}

void Storage::preserve() {
  if (keepers_ == 0 || preserved(version())) return;
  Ref<Storage> contents = allocate(bytes_, device_);
  if (device_.kind == DeviceKind::kCpu) {
    std::memcpy(contents->data(), data_, bytes_);
  } else {
    if (streams_in_use()) runtime_of(device_).note_use(device_.index, data_);
    runtime_of(device_).copy_on_device(device_.index, contents->data(), data_, bytes_);
  }
  preserve(std::move(contents));
}

void Storage::preserve(Ref<Storage> contents) {
  if (!preserved_) preserved_ = std::make_unique<std::vector<Preserved>>();
  preserved_->push_back({version(), std::move(contents)});
}

Ref<Storage> Storage::preserved(uint32_t version) const {
  if (!preserved_) return {};
  for (const Preserved& kept : *preserved_) {
    if (kept.version == version) return kept.contents;
  }
  return {};
}

void* Storage::operator new(size_t bytes) { return host_memory::allocate(bytes); }
void Storage::operator delete(void* block, size_t bytes) { host_memory::release(block, bytes); }

std::atomic<int> Writes::readers_{0};

namespace {
std::mutex writes_mutex;
std::vector<const Storage*> writes;
uint64_t writes_dropped = 0;  // how many were listed before these
}  // namespace

void Writes::list(const Storage& storage) {
  const std::lock_guard lock(writes_mutex);
  if (readers_.load(std::memory_order_relaxed) != 0) writes.push_back(&storage);
}

void Writes::begin() {
  const std::lock_guard lock(writes_mutex);
  // No moment of an earlier time is one of this: what was written in between is not listed.
  if (readers_.fetch_add(1) == 0) ++writes_dropped;
}

void Writes::end() {
  const std::lock_guard lock(writes_mutex);
  if (readers_.fetch_sub(1) != 1) return;
  writes_dropped += writes.size();
  writes = {};
}

Writes::Listed Writes::since(uint64_t moment) {
  const std::lock_guard lock(writes_mutex);
  Listed found;
  found.until = writes_dropped + writes.size();
  found.complete = moment >= writes_dropped;
  if (found.complete) {
    found.storages.assign(writes.begin() + static_cast<std::ptrdiff_t>(moment - writes_dropped),
                          writes.end());
  }
  return found;
}

}  // namespace dyad
