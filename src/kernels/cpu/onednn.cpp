#include "kernels/cpu/onednn.h"

#include <omp.h>

#include "runtime/context.h"

namespace dyad::kernels::onednn {

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

SameForAnyThreads::SameForAnyThreads() {
  if (!Context::process().deterministic()) return;
  threads_before_ = omp_get_max_threads();
  omp_set_num_threads(1);
}

SameForAnyThreads::~SameForAnyThreads() {
  if (active()) omp_set_num_threads(threads_before_);
}

dnnl::primitive_attr caller_scratch() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

}  // namespace dyad::kernels::onednn
