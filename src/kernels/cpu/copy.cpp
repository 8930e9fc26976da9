#include "base/error.h"
#include "kernels/cpu/contiguous.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/overlap.h"
#include "kernels/cpu/window.h"
#include "runtime/allocator.h"
#include "runtime/context.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

bool same_place(const ValueImpl& a, const ValueImpl& b) {
  return a.data == b.data && a.dtype == b.dtype && a.shape == b.shape && a.strides == b.strides;
}

/// Copies as if `from` were read in full before anything is written.
void copy_apart(const ValueImpl& from, ValueImpl& to) {
  if (to.size() == 0 || same_place(from, to)) return;
  if (!overlap(from, to)) return copy(from, to);
  Workspace scratch(static_cast<size_t>(from.size() * itemsize(from.dtype)));
  Window apart(from, from.shape, contiguous_strides(from.shape));
  apart.data = scratch.as<void>();
  copy(from, apart);
  copy(apart, to);
}

void run_copy(const KernelCall& call) { copy(call.in(0), call.out()); }

/// A reshape that is no view: the elements in row-major order, written to the contiguous result.
void run_reshape(const KernelCall& call) {
  const ValueImpl& input = call.in(0);
  Window target(call.out(), input.shape, contiguous_strides(input.shape));
  copy(input, target);
}

/// Pairs that do not lie as complex numbers do, copied so that they do.
void run_view_as_complex(const KernelCall& call) {
  const ValueImpl& input = call.in(0);
  Window target(call.out(), input.shape, contiguous_strides(input.shape));
  target.dtype = input.dtype;
  copy(input, target);
}

/// A strided view of elements that do not lie in row-major order: a copy of what it would show.
void run_strided_view(const KernelCall& call) {
  const Contiguous input(call.in(0));
  Strides strides;
  for (Dim stride : call.dims(2)) strides.push_back(stride.value());
  const char* first = input.as<char>() + call.integer(3) * itemsize(call.out().dtype);
  copy_elements(call.out().dtype, call.out().shape, first, strides, call.out().data, call.out().strides);
}

void run_assign(const KernelCall& call) {
  if (call.is_value(1)) return copy_apart(call.in(1), call.out());
  alignas(16) char element[16];
  store(call.number(1), call.out().dtype, element);
  Window number(call.out(), {}, {});
  number.data = element;
  copy(number, call.out());
}

/// (input, device), in a graph that was compiled for the CPU: dispatch moves tensors itself.
void run_transfer(const KernelCall& call) {
  if (Context::process().named_device("to", call.text(1)).kind != DeviceKind::kCpu) {
    unsupported("to: a graph that was compiled for the CPU cannot move a Tensor to '", call.text(1),
                "'; choose the device with set_device before the first call");
  }
  copy(call.in(0), call.out());
}

}  // namespace

DYAD_CPU_KERNEL(copy, run_copy);
DYAD_CPU_KERNEL(transfer, run_transfer);
DYAD_CPU_KERNEL(contiguous, run_copy);
DYAD_CPU_KERNEL(reshape, run_reshape);
DYAD_CPU_KERNEL(strided_view, run_strided_view);
DYAD_CPU_KERNEL(view_as_complex, run_view_as_complex);
DYAD_CPU_KERNEL(assign, run_assign);
DYAD_CPU_KERNEL(copy_into, run_assign);

}  // namespace dyad::kernels
