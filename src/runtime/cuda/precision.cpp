#include "runtime/cuda/precision.h"

#include <atomic>

namespace dyad::cuda {

namespace {
std::atomic<bool> allowed{false};
}

bool allow_tf32() { return allowed.load(std::memory_order_relaxed); }
void set_allow_tf32(bool on) { allowed.store(on, std::memory_order_relaxed); }

}  // namespace dyad::cuda
