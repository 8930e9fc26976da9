#include "kernels/cpu/convert.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

void run_cast(const KernelCall& call) {
  if (!call.is_value(0)) return store(call.number(0), call.out().dtype, call.out().data);
  copy(call.in(0), call.out());
}
DYAD_CPU_KERNEL(cast, run_cast);

}  // namespace

}  // namespace dyad::kernels
