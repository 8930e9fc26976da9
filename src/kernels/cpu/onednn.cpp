#include "kernels/cpu/onednn.h"

#include <pthread.h>

#include <new>

#include "base/region_threads.h"
#include "kernels/cpu/loops.h"
#include "runtime/context.h"

namespace dyad::kernels::onednn {

std::shared_mutex& making() {
  static auto& only = *new std::shared_mutex;
  return only;
}

namespace {

// The child is another thread to the lock, and may not release it.
[[maybe_unused]] const int fork_waits = pthread_atfork([] { making().lock(); }, [] { making().unlock(); },
                                                       [] { new (&making()) std::shared_mutex; });

}  // namespace

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

bool multiplies_bfloat16() {
  static const bool does = best_instruction_set() == 2 && __builtin_cpu_supports("avx512bf16");
  return does;
}

dnnl::memory::data_type library_type(DType dtype) {
  return dtype == DType::kBFloat16 ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f32;
}

SameForAnyThreads::SameForAnyThreads() {
  if (!Context::process().deterministic()) return;
  threads_before_ = region_threads();
  set_region_threads(1);
}

SameForAnyThreads::~SameForAnyThreads() {
  if (active()) set_region_threads(threads_before_);
}

dnnl::primitive_attr caller_scratch() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

}  // namespace dyad::kernels::onednn
