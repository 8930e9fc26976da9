#include "runtime/cuda/precision.h"

#include <atomic>

namespace dyad::cuda {

namespace {
std::atomic<Tf32> allowed{Tf32{}};
}

Tf32 allow_tf32() { return allowed.load(std::memory_order_relaxed); }
void set_allow_tf32(Tf32 now) { allowed.store(now, std::memory_order_relaxed); }

}  // namespace dyad::cuda
