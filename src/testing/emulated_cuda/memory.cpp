#include "testing/emulated_cuda/memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

namespace dyad::cuda::emulated {

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kRangeBytes = size_t{1} << 38;
constexpr size_t kUsualLimit = size_t{2} << 30;
constexpr int kOpen = PROT_READ | PROT_WRITE;
constexpr unsigned char kPoison = 0xfb;

size_t whole_pages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

Memory::Memory() {
  const char* text = std::getenv("DYAD_EMULATED_MEMORY");
  limit_ = text ? std::strtoull(text, nullptr, 10) : kUsualLimit;
  begin_ = static_cast<char*>(mmap(reinterpret_cast<void*>(0x200000000000), kRangeBytes, PROT_NONE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  key_ = pkey_alloc(0, PKEY_DISABLE_ACCESS);
}

void Memory::protect(char* block, size_t bytes, int rights) {
  if (key_ >= 0) {
    pkey_mprotect(block, bytes, kOpen, key_);
  } else {
    mprotect(block, bytes, rights);
  }
}

void Memory::protect_all(int rights) {
  for (const auto& [block, what] : blocks_) mprotect(block, whole_pages(what.bytes), rights);
}

void* Memory::allocate(int device, size_t bytes) {
  const std::lock_guard guard(lock_);
  if (bytes == 0 || used_[device] + bytes > limit_) return nullptr;
  char* at = begin_;  // the first gap that is large enough, with a page to either side that stays shut
  for (const auto& [block, what] : blocks_) {
    if (at + whole_pages(bytes) + kPage <= block) break;
    at = block + whole_pages(what.bytes) + kPage;
  }
  if (at + whole_pages(bytes) > begin_ + kRangeBytes) return nullptr;
  mprotect(at, whole_pages(bytes), kOpen);
  std::memset(at, kPoison, bytes);
  protect(at, whole_pages(bytes), working_ > 0 ? kOpen : PROT_NONE);
  blocks_[at] = {bytes, device};
  used_[device] += bytes;
  return at;
}

bool Memory::release(void* block) {
  const std::lock_guard guard(lock_);
  const auto found = blocks_.find(static_cast<char*>(block));
  if (found == blocks_.end()) return false;
  mmap(block, whole_pages(found->second.bytes), PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  used_[found->second.device] -= found->second.bytes;
  blocks_.erase(found);
  return true;
}

size_t Memory::used(int device) {
  const std::lock_guard guard(lock_);
  return used_[device];
}

int Memory::device_of(const void* address) {
  const std::lock_guard guard(lock_);
  auto* at = const_cast<char*>(static_cast<const char*>(address));
  auto next = blocks_.upper_bound(at);
  if (next == blocks_.begin()) return -1;
  --next;
  return at < next->first + next->second.bytes ? next->second.device : -1;
}

void* Memory::allocate_host(size_t bytes) {
  void* block = mmap(nullptr, whole_pages(bytes), kOpen, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return nullptr;
  const std::lock_guard guard(lock_);
  host_[static_cast<char*>(block)] = bytes;
  return block;
}

bool Memory::release_host(void* block) {
  const std::lock_guard guard(lock_);
  const auto found = host_.find(static_cast<char*>(block));
  if (found == host_.end()) return false;
  munmap(block, whole_pages(found->second));
  host_.erase(found);
  return true;
}

bool Memory::is_host(const void* address, size_t bytes) {
  const std::lock_guard guard(lock_);
  auto* at = const_cast<char*>(static_cast<const char*>(address));
  auto next = host_.upper_bound(at);
  if (next == host_.begin()) return false;
  --next;
  return at + bytes <= next->first + next->second;
}

void Memory::begin_work() {
  if (key_ >= 0) {
    pkey_set(key_, 0);
    return;
  }
  const std::lock_guard guard(lock_);
  if (working_++ == 0) protect_all(kOpen);
}

void Memory::end_work() {
  if (key_ >= 0) return;  // threads of streams do nothing else
  const std::lock_guard guard(lock_);
  if (--working_ == 0) protect_all(PROT_NONE);
}

}  // namespace dyad::cuda::emulated
