#include "codegen/cpu/thread_memory.h"

#include <cstdlib>
#include <memory>
#include <new>

namespace dyad::codegen {

namespace {

struct Free {
  void operator()(char* block) const { std::free(block); }
};

}  // namespace

char* thread_memory(size_t bytes) {
  thread_local size_t held = 0;
  thread_local std::unique_ptr<char, Free> memory;
  if (bytes > held) {
    held = 0;
    memory.reset();
    const size_t rounded = (bytes + 63) / 64 * 64;
    memory.reset(static_cast<char*>(std::aligned_alloc(64, rounded)));
    if (!memory) throw std::bad_alloc();
    held = rounded;
  }
  return memory.get();
}

}  // namespace dyad::codegen
