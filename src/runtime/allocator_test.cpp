#include "runtime/allocator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "base/error.h"

namespace dyad::host_memory {
namespace {

TEST(Allocator, ReleasedBlockIsGivenAgain) {
  for (size_t bytes : {size_t{1}, size_t{1000}, size_t{1} << 20}) {
    void* first = allocate(bytes);
    release(first, bytes);
    void* second = allocate(bytes);
    EXPECT_EQ(first, second) << bytes;
    release(second, bytes);
  }
}

TEST(Allocator, BlocksAreAlignedAndLargeEnough) {
  for (size_t bytes = 0; bytes < 5000; bytes += 13) {
    void* block = allocate(bytes);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
    std::memset(block, 1, bytes);
    release(block, bytes);
  }
}

TEST(Allocator, StatisticsFollowUse) {
  const Statistics before = statistics();
  void* block = allocate(1 << 20);
  EXPECT_GE(statistics().allocated - before.allocated, 1 << 20);
  EXPECT_GE(statistics().max_allocated, before.allocated + (1 << 20));
  release(block, 1 << 20);
  EXPECT_EQ(statistics().allocated, before.allocated);
  EXPECT_GE(statistics().reserved, statistics().allocated);
  reset_peaks();
  EXPECT_EQ(statistics().max_allocated, statistics().allocated);
}

TEST(Allocator, EmptyCacheGivesMemoryBack) {
  release(allocate(3 << 20), 3 << 20);
  const int64_t reserved = statistics().reserved;
  empty_cache();
  EXPECT_LE(statistics().reserved, reserved - (3 << 20));
  EXPECT_GE(statistics().reserved, statistics().allocated);
}

TEST(Allocator, RefusesWhatDoesNotFitAndLivesOn) {
  for (size_t bytes : {size_t{1} << 50, size_t{1} << 62, ~size_t{0}}) {
    try {
      allocate(bytes);
      FAIL() << bytes;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kMemory);
      EXPECT_NE(error.message().find("out of memory: "), std::string::npos);
    }
  }
  release(allocate(100), 100);
}

TEST(Allocator, BlocksMayBeReleasedByAnotherThread) {
  std::vector<void*> blocks;
  for (int i = 0; i < 200; ++i) blocks.push_back(allocate(256));
  const int64_t allocated = statistics().allocated;
  std::thread([&] {
    for (void* block : blocks) release(block, 256);
  }).join();
  EXPECT_LE(statistics().allocated, allocated - 200 * 256);
}

TEST(Allocator, BlocksOfAnEndedThreadAreGivenAgain) {
  empty_cache();
  void* left = nullptr;
  std::thread([&] {
    left = allocate(640);
    release(left, 640);
  }).join();
  void* block = allocate(640);
  EXPECT_EQ(block, left);
  release(block, 640);
}

}  // namespace
}  // namespace dyad::host_memory
