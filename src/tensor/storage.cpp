#include "tensor/storage.h"

#include "runtime/allocator.h"

namespace dyad {

Ref<Storage> Storage::allocate(size_t bytes) {
  void* data = host_memory::allocate(bytes);
  Ref<Storage> storage(new Storage);
  storage->data_ = data;
  storage->bytes_ = bytes;
  return storage;
}

Ref<Storage> Storage::borrow(void* data, size_t bytes, bool writable, Release release) {
  Ref<Storage> storage(new Storage);
  storage->data_ = data;
  storage->bytes_ = bytes;
  storage->writable_ = writable;
  storage->release_ = std::move(release);
  return storage;
}

Storage::~Storage() {
  if (release_) {
    release_();
  } else {
    host_memory::release(data_, bytes_);
  }
}

void* Storage::operator new(size_t bytes) { return host_memory::allocate(bytes); }
void Storage::operator delete(void* block, size_t bytes) { host_memory::release(block, bytes); }

}  // namespace dyad
