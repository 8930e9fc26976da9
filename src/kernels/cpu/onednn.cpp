#include "kernels/cpu/onednn.h"

#include "base/region_threads.h"
#include "runtime/context.h"

namespace dyad::kernels::onednn {

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
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
