#include "runtime/guarded_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace dyad::host_memory::guarded_memory {
namespace {

constexpr size_t kAlignment = 64;

/// The compiler must not see that a write is out of bounds.
void write(void* block, ptrdiff_t at) { static_cast<volatile unsigned char*>(block)[at] = 1; }

TEST(GuardedMemory, BlocksAreAlignedAndUsable) {
  for (size_t bytes : {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{4096}, size_t{100001}}) {
    void* block = allocate(bytes, kAlignment);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % kAlignment, 0u);
    std::memset(block, 1, bytes);
    release(block, bytes, kAlignment);
  }
}

TEST(GuardedMemoryDeathTest, WritesBehindABlockEndTheProcess) {
  constexpr size_t kBytes = 256;
  void* block = allocate(kBytes, kAlignment);
  EXPECT_DEATH(write(block, kBytes), "");
  release(block, kBytes, kAlignment);
}

TEST(GuardedMemoryDeathTest, WritesNextToABlockAreFoundWhenItIsReleased) {
  constexpr size_t kBytes = 250;  // six bytes are left up to the page
  for (ptrdiff_t at : {ptrdiff_t{kBytes}, ptrdiff_t{-1}}) {
    void* block = allocate(kBytes, kAlignment);
    EXPECT_DEATH(
        {
          write(block, at);
          release(block, kBytes, kAlignment);
        },
        "outside a block of 250 bytes");
    release(block, kBytes, kAlignment);
  }
}

}  // namespace
}  // namespace dyad::host_memory::guarded_memory
