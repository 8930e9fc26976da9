// Results that are mostly zeros or one number, with a tensor written into a part of them.

#include <algorithm>

#include "kernels/cpu/convert.h"
#include "kernels/cpu/fill.h"
#include "kernels/cpu/window.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

void run_embed_slice(const KernelCall& call) {
  ValueImpl& out = call.out();
  fill(out, 0);
  if (call.in(0).size() == 0) return;  // where nothing begins may be any number
  Strides strides = out.strides;
  int64_t offset = 0;
  const Dims& starts = call.dims(2);
  for (size_t d = 0; d < starts.size(); ++d) {
    offset += starts[d].value() * out.strides[d];
    // A step past a single element goes nowhere and may be any number.
    if (call.in(0).shape[d].value() > 1) strides[d] *= call.dims(4)[d].value();
  }
  Window place(out, call.in(0).shape, strides, offset);
  copy(call.in(0), place);
}

void run_embed_diagonal(const KernelCall& call) {
  ValueImpl& out = call.out();
  fill(out, 0);
  if (call.in(0).size() == 0) return;
  const auto rows = static_cast<size_t>(normalize_axis(call.op(), call.integer(3), out.rank()));
  const auto columns = static_cast<size_t>(normalize_axis(call.op(), call.integer(4), out.rank()));
  const int64_t shift = call.integer(2);
  Strides strides;
  for (size_t d = 0; d < out.shape.size(); ++d) {
    if (d != rows && d != columns) strides.push_back(out.strides[d]);
  }
  strides.push_back(out.strides[rows] + out.strides[columns]);
  const int64_t offset = shift >= 0 ? shift * out.strides[columns] : -shift * out.strides[rows];
  Window place(out, call.in(0).shape, strides, offset);
  copy(call.in(0), place);
}

/// Both sides lose what negative margins cut off; what is left has one shape.
void run_pad_constant(const KernelCall& call) {
  const ValueImpl& input = call.in(0);
  ValueImpl& out = call.out();
  fill(out, call.number(3));
  Shape shape = input.shape;
  int64_t from = 0;
  int64_t to = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t before = call.dims(1)[d].value();
    const int64_t after = call.dims(2)[d].value();
    shape[d] = std::max<int64_t>(
        0, input.shape[d].value() + std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0));
    from += std::max<int64_t>(0, -before) * input.strides[d];
    to += std::max<int64_t>(0, before) * out.strides[d];
  }
  if (numel(shape) == 0) return;
  Window place(out, shape, out.strides, to);
  copy(Window(input, shape, input.strides, from), place);
}

}  // namespace

DYAD_CPU_KERNEL(embed_slice, run_embed_slice);
DYAD_CPU_KERNEL(embed_diagonal, run_embed_diagonal);
DYAD_CPU_KERNEL(pad_constant, run_pad_constant);

}  // namespace dyad::kernels
