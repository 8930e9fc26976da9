#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "kernels/cpu/contiguous.h"
#include "kernels/cpu/index_plan.h"
#include "runtime/kernel.h"
#include "runtime/listed_rate.h"

namespace dyad::kernels {

namespace {

/// (rates, step, owner)
void run_rate_of_step(const KernelCall& call) {
  const Contiguous rates(call.in(0), call.out().dtype);
  const int64_t count = call.in(0).size();
  const auto bytes = static_cast<size_t>(itemsize(call.out().dtype));
  char* out = call.out().as<char>();
  for (const int64_t step : read_indices(call.in(1), call.in(1).shape)) {
    if (step < -count || count == 0) index_error(call.text(2), ": ", no_listed_rate(step, count));
    const int64_t at = step < 0 ? step + count : std::min(step, count - 1);
    std::memcpy(out, rates.as<char>() + static_cast<size_t>(at) * bytes, bytes);
    out += bytes;
  }
}

}  // namespace

DYAD_CPU_KERNEL(rate_of_step, run_rate_of_step);

}  // namespace dyad::kernels
