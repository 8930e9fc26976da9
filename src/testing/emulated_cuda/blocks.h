#pragma once

#include "testing/emulated_cuda/block.h"

namespace dyad::cuda::emulated {

/// Runs the blocks of a launch one by one on the calling thread. False where threads of a block wait for each
/// other for ever.
bool run_blocks(const Kernel& kernel, Extent blocks, Extent threads, size_t shared_bytes, const void* params);

}  // namespace dyad::cuda::emulated
