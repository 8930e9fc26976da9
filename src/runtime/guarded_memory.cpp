#include "runtime/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace dyad::host_memory::guarded_memory {

namespace {

constexpr unsigned char kMark = 0xA5;

size_t page() {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

size_t rounded_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// [page][marks, block, marks][page]
struct Extent {
  Extent(size_t bytes, size_t alignment)
      : kept(rounded_up(std::max(bytes, size_t{1}), alignment)), open(rounded_up(kept, page())) {}
  size_t whole() const { return open + 2 * page(); }
  size_t front() const { return open - kept; }

  size_t kept;  ///< the block and what fills it up to the alignment
  size_t open;
};

bool is_marked(const unsigned char* from, const unsigned char* to) {
  return std::all_of(from, to, [](unsigned char byte) { return byte == kMark; });
}

}  // namespace

bool enabled() {
  static const bool asked = [] {
    const char* wanted = std::getenv("DYAD_GUARD_MEMORY");
    return wanted && std::string_view(wanted) == "1";
  }();
  return asked;
}

void* allocate(size_t bytes, size_t alignment) {
  constexpr size_t kMostFilled = 1 << 20;
  const Extent extent(bytes, alignment);
  void* mapped = mmap(nullptr, extent.whole(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* start = static_cast<unsigned char*>(mapped) + page();
  if (mprotect(start, extent.open, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapped, extent.whole());
    return nullptr;
  }
  unsigned char* block = start + extent.front();
  std::memset(start, kMark, extent.front());
  std::memset(block + bytes, kMark, extent.kept - bytes);
  std::memset(block, 0xFF, std::min(bytes, kMostFilled));
  return block;
}

void release(void* block, size_t bytes, size_t alignment) noexcept {
  const Extent extent(bytes, alignment);
  auto* at = static_cast<unsigned char*>(block);
  unsigned char* start = at - extent.front();
  if (!is_marked(start, at) || !is_marked(at + bytes, at + extent.kept)) {
    std::fprintf(stderr, "dyad: a write outside a block of %zu bytes\n", bytes);
    std::abort();
  }
  munmap(start - page(), extent.whole());
}

}  // namespace dyad::host_memory::guarded_memory
