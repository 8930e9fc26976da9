#pragma once

#include <cstddef>

namespace dyad::host_memory {

/// Memory between pages without access: a read or write behind a block ends the process there
/// and then, also where no sanitizer sees it, in a library or in generated code. A block is aligned as others
/// are; the few bytes between its end and the page, and those in front of it, are looked at when it is
/// released. Slow, and for tests: `DYAD_GUARD_MEMORY=1`.
namespace guarded_memory {

bool enabled();
/// Null where the system has no more. The block is filled with ones, NaN as floating numbers.
void* allocate(size_t bytes, size_t alignment);
void release(void* block, size_t bytes, size_t alignment) noexcept;

}  // namespace guarded_memory

}  // namespace dyad::host_memory
