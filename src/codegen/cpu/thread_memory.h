#pragma once

#include <cstddef>

namespace dyad::codegen {

/// Scratch memory of the calling thread, aligned to 64 bytes; what it held is lost with the next call.
char* thread_memory(size_t bytes);

}  // namespace dyad::codegen
