#pragma once

#include "kernels/cpu/pool_task.h"
#include "types/arg.h"

namespace dyad::kernels {

/// The window of a pooling operator whose attributes start at `first`: kernel, stride, padding (pairs) and,
/// where the operator has one, dilation. Leading dimensions beyond the spatial ones are planes.
inline PoolWindow pool_window(const Shape& in, const Shape& out, const Arguments& args, size_t first,
                              bool dilated) {
  const Dims& kernel = args.dims(first);
  const size_t spatial = kernel.size();
  const size_t missing = 3 - spatial;
  const size_t planes = in.size() - spatial;
  PoolWindow w;
  for (size_t d = 0; d < 3; ++d) {
    const bool there = d >= missing;
    const size_t s = there ? d - missing : 0;
    w.in[d] = there ? in[planes + s].value() : 1;
    w.out[d] = there ? out[planes + s].value() : 1;
    w.kernel[d] = there ? kernel[s].value() : 1;
    w.stride[d] = there ? args.dims(first + 1)[s].value() : 1;
    w.before[d] = there ? args.dims(first + 2)[2 * s].value() : 0;
    w.after[d] = there ? args.dims(first + 2)[2 * s + 1].value() : 0;
    w.dilation[d] = there && dilated ? args.dims(first + 3)[s].value() : 1;
  }
  return w;
}

}  // namespace dyad::kernels
