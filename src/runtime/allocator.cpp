#include "runtime/allocator.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "base/error.h"
#include "runtime/guarded_memory.h"
#include "runtime/sanitizer.h"

namespace dyad::host_memory {

namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kSmall = 64 << 10;        // blocks up to here are cached per thread
constexpr size_t kThreadCacheBlocks = 64;  // per class
constexpr size_t kChecked = 128 << 20;     // requests from here on are compared with the memory that is left
constexpr size_t kClasses = 4 * 64;

struct FreeBlock {
  FreeBlock* next;
};

/// Size classes: four steps per power of two, so that at most a fifth of a block is waste.
struct SizeClass {
  size_t index;
  size_t bytes;
};

SizeClass size_class(size_t bytes) {
  bytes = std::max(bytes, kAlignment);
  const size_t power = std::bit_width(bytes - 1);  // smallest power with bytes <= 2^power
  const size_t low = size_t{1} << (power - 1);
  const size_t step = std::max(low / 4, size_t{1});
  const size_t quarter = (bytes - low + step - 1) / step;  // 1..4 for bytes > low
  const size_t rounded = (low + quarter * step + kAlignment - 1) / kAlignment * kAlignment;
  return {power * 4 + quarter - 1, rounded};
}

struct Counters {
  std::atomic<int64_t> allocated{0};
  std::atomic<int64_t> max_allocated{0};
  std::atomic<int64_t> reserved{0};
  std::atomic<int64_t> max_reserved{0};
};
Counters counters;

void raise_peak(std::atomic<int64_t>& peak, int64_t now) {
  int64_t seen = peak.load(std::memory_order_relaxed);
  while (now > seen && !peak.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
  }
}

struct Shared {
  std::mutex guard;
  std::array<FreeBlock*, kClasses> lists{};
};

Shared& shared() {
  static Shared* lists = new Shared;  // outlives every thread that may still free a block at exit
  return *lists;
}

/// A child of fork() has none of the threads that may hold the lock at that moment.
[[maybe_unused]] const int fork_waits = pthread_atfork(
    [] { shared().guard.lock(); }, [] { shared().guard.unlock(); }, [] { shared().guard.unlock(); });

/// The calling thread's lists. What they hold moves to the shared lists when the thread ends.
struct ThreadCache {
  struct List {
    FreeBlock* head = nullptr;
    uint32_t blocks = 0;
  };
  std::array<List, kClasses> lists;
  bool closed = false;

  ~ThreadCache() {
    closed = true;
    std::lock_guard lock(shared().guard);
    for (size_t i = 0; i < kClasses; ++i) {
      while (FreeBlock* block = lists[i].head) {
        lists[i].head = block->next;
        block->next = shared().lists[i];
        shared().lists[i] = block;
      }
    }
  }
};
thread_local ThreadCache cache;

int64_t available_bytes() {
  std::FILE* file = std::fopen("/proc/meminfo", "r");
  if (!file) return INT64_MAX;
  char line[128];
  long long kib = -1;
  while (kib < 0 && std::fgets(line, sizeof line, file)) std::sscanf(line, "MemAvailable: %lld kB", &kib);
  std::fclose(file);
  return kib < 0 ? INT64_MAX : kib * 1024;
}

[[noreturn]] void refuse(size_t bytes) {
  raise(ErrorKind::kMemory,
        cat("out of memory: ", bytes, " bytes were asked for, ", available_bytes(), " are free on the host (",
            counters.allocated.load(), " in use by tensors); use smaller shapes or free tensors first"));
}

void* from_system(const SizeClass& size, size_t asked) {
  return guarded_memory::enabled() ? guarded_memory::allocate(asked, kAlignment)
                                   : std::aligned_alloc(kAlignment, size.bytes);
}

void* fresh_block(const SizeClass& size, size_t asked) {
  if (size.bytes >= kChecked && static_cast<int64_t>(size.bytes) > available_bytes()) {
    empty_cache();
    if (static_cast<int64_t>(size.bytes) > available_bytes()) refuse(asked);
  }
  void* block = from_system(size, asked);
  if (!block) {
    empty_cache();
    block = from_system(size, asked);
    if (!block) refuse(asked);
  }
  const int64_t total =
      counters.reserved.fetch_add(static_cast<int64_t>(size.bytes)) + static_cast<int64_t>(size.bytes);
  raise_peak(counters.max_reserved, total);
  return block;
}

void count_used(size_t bytes) {
  const int64_t now = counters.allocated.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed) +
                      static_cast<int64_t>(bytes);
  if (now > counters.max_allocated.load(std::memory_order_relaxed)) raise_peak(counters.max_allocated, now);
}

void* pop_shared(size_t index) {
  std::lock_guard lock(shared().guard);
  FreeBlock* block = shared().lists[index];
  if (block) shared().lists[index] = block->next;
  return block;
}

void push_shared(size_t index, void* block) {
  auto* free = static_cast<FreeBlock*>(block);
  std::lock_guard lock(shared().guard);
  free->next = shared().lists[index];
  shared().lists[index] = free;
}

void free_list(FreeBlock*& head, size_t index) {
  // A class holds blocks of one size; recover it from the index.
  const size_t low = size_t{1} << (index / 4 - 1);
  const size_t bytes =
      (low + (index % 4 + 1) * std::max(low / 4, size_t{1}) + kAlignment - 1) / kAlignment * kAlignment;
  while (FreeBlock* block = head) {
    head = block->next;
    std::free(block);
    counters.reserved.fetch_sub(static_cast<int64_t>(bytes));
  }
}

}  // namespace

void* allocate(size_t bytes) {
  constexpr size_t kLargest = size_t{1} << 62;
  if (bytes > kLargest) refuse(bytes);
  const SizeClass size = size_class(bytes);
  void* block = nullptr;
  if (size.bytes <= kSmall && !cache.closed) {
    auto& list = cache.lists[size.index];
    if (list.head) {
      block = list.head;
      list.head = list.head->next;
      --list.blocks;
    }
  }
  // Small blocks are here too: those that threads left behind when they ended.
  if (!block) block = pop_shared(size.index);
  if (!block) block = fresh_block(size, bytes);
  count_used(size.bytes);
  if (!guarded_memory::enabled()) mark_used(block, bytes, size.bytes);
  return block;
}

void release(void* block, size_t bytes) noexcept {
  if (!block) return;
  const SizeClass size = size_class(bytes);
  counters.allocated.fetch_sub(static_cast<int64_t>(size.bytes), std::memory_order_relaxed);
  if (guarded_memory::enabled()) {  // such a block is of no other size, and is not used again
    counters.reserved.fetch_sub(static_cast<int64_t>(size.bytes));
    return guarded_memory::release(block, bytes, kAlignment);
  }
  mark_cached(block, sizeof(FreeBlock), size.bytes);
  if (size.bytes <= kSmall) {
    if (!cache.closed) {
      auto& list = cache.lists[size.index];
      if (list.blocks < kThreadCacheBlocks) {
        auto* free = static_cast<FreeBlock*>(block);
        free->next = list.head;
        list.head = free;
        ++list.blocks;
        return;
      }
    }
    std::free(block);
    counters.reserved.fetch_sub(static_cast<int64_t>(size.bytes));
    return;
  }
  push_shared(size.index, block);
}

void empty_cache() {
  std::lock_guard lock(shared().guard);
  for (size_t i = 4; i < kClasses; ++i) free_list(shared().lists[i], i);
  if (cache.closed) return;
  for (size_t i = 4; i < kClasses; ++i) {
    free_list(cache.lists[i].head, i);
    cache.lists[i].blocks = 0;
  }
}

Statistics statistics() {
  return {counters.allocated.load(), counters.max_allocated.load(), counters.reserved.load(),
          counters.max_reserved.load()};
}

void reset_peaks() {
  counters.max_allocated.store(counters.allocated.load());
  counters.max_reserved.store(counters.reserved.load());
}

}  // namespace dyad::host_memory
